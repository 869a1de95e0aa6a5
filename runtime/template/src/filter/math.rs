//! Filters of numbers. Text that is no number counts as 0.

use super::{Call, Halt};
use crate::number;
use crate::path;
use crate::value::Value;

type Made<'a> = Result<Value<'a>, Halt>;

fn number<'a>(number: f64) -> Made<'a> {
    Ok(Value::Number(number))
}

fn argument(call: &Call<'_>) -> f64 {
    call.argument(0).map_or(f64::NAN, Value::to_number)
}

pub(super) fn abs<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number().abs())
}

pub(super) fn at_least<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number().max(argument(call)))
}

pub(super) fn at_most<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number().min(argument(call)))
}

pub(super) fn ceil<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number().ceil())
}

pub(super) fn floor<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number().floor())
}

pub(super) fn plus<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number() + argument(call))
}

pub(super) fn minus<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number() - argument(call))
}

pub(super) fn times<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(call.value.to_number() * argument(call))
}

/// A real division; a second argument that is true rounds down.
pub(super) fn divided_by<'a>(call: &mut Call<'a>) -> Made<'a> {
    let result = call.value.to_number() / argument(call);
    let whole = call.argument(1).is_some_and(Value::is_true);
    number(if whole { result.floor() } else { result })
}

/// The rest, with the sign of the divisor.
pub(super) fn modulo<'a>(call: &mut Call<'a>) -> Made<'a> {
    let divisor = argument(call);
    number(((call.value.to_number() % divisor) + divisor) % divisor)
}

pub(super) fn round<'a>(call: &mut Call<'a>) -> Made<'a> {
    let places = call.argument(0).map_or(0.0, Value::to_number);
    number(number::round(call.value.to_number(), places.clamp(-400.0, 400.0) as i32))
}

pub(super) fn sum<'a>(call: &mut Call<'a>) -> Made<'a> {
    let items = call.list()?;
    let property = call.text_of(0);
    let mut total = 0.0;
    for item in items.iter() {
        total += match &property {
            Some(name) => path::member(&item, name.as_str()).map_or(0.0, |value| value.to_number()),
            None => item.to_number(),
        };
    }
    number(total)
}

/// The number that the value stands for; `NaN` where it is none.
pub(super) fn to_integer<'a>(call: &mut Call<'a>) -> Made<'a> {
    number(match &call.value {
        Value::Text(text) => number::parse(text.as_str()),
        Value::Null | Value::Bool(_) | Value::Number(_) => call.value.to_number(),
        _ => f64::NAN,
    })
}
