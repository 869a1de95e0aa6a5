// What every sandbox runs before any program, from bytecode made once a process.
// It takes away the names a program must not have, puts the rules of `Date` in place, and hands the host four
// functions that no program can reach: setClock, freeze, describe and drain.
// Whatever it needs later is held in constants, since a program of a run may change the library.
(function () {
  'use strict';

  const global = globalThis;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isFrozen } = Object;
  const freezeOne = Object.freeze;
  const { construct, ownKeys } = Reflect;
  const { toPrimitive: toPrimitiveKey } = Symbol;
  const isError = Error.isError;
  const RawString = String;
  const RawTypeError = TypeError;
  const call = Function.prototype.call;
  const uncurry = call.bind.bind(call);
  const stackOf = uncurry(getOwnPropertyDescriptor(Error.prototype, 'stack').get);
  const slice = uncurry(String.prototype.slice);
  const exec = uncurry(RegExp.prototype.exec);

  const RealDate = Date;
  const dateProto = RealDate.prototype;
  const timeOf = uncurry(dateProto.getTime);
  const { UTC } = RealDate;
  const setUTCFullYear = uncurry(dateProto.setUTCFullYear);

  // The prototypes that no global name leads to. They are read before `constructor` goes from any of them.
  const unnamed = [
    (() => {}),
    (function* () {}),
    (async () => {}),
    (async function* () {}),
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().entries(),
    ''[Symbol.iterator](),
    'a'.matchAll(/a/g),
    [].values().map((x) => x),
    Iterator.from({ next() { return { done: true }; } }),
    (function* () {})(),
    (async function* () {})(),
    (function () { return arguments; })(),
    (class {}),
    typeof Iterator.concat === 'function' ? Iterator.concat() : undefined,
    typeof Iterator.zip === 'function' ? Iterator.zip([]) : undefined,
    typeof Iterator.zipKeyed === 'function' ? Iterator.zipKeyed({}) : undefined,
  ];

  // -- Names that are absent ------------------------------------------------------------------------------------

  const functionProtos = [unnamed[0], unnamed[1], unnamed[2], unnamed[3]].map(getPrototypeOf);
  const promiseProto = global.Promise.prototype;
  for (const proto of [...functionProtos, promiseProto]) delete proto.constructor;
  for (const name of [
    'eval', 'Function', 'Promise', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'queueMicrotask',
    'escape', 'unescape', 'DisposableStack', 'AsyncDisposableStack', 'SuppressedError', 'InternalError', 'performance',
    'DOMException', 'console', 'navigator', 'btoa', 'atob', 'gc', 'structuredClone', 'Intl',
  ]) delete global[name];
  delete Math.random;
  delete Array.fromAsync;
  delete RegExp.prototype.compile;
  // State of the context behind accessors: freezing would not close this way from one fold to the next.
  delete Error.stackTraceLimit;
  delete Error.prepareStackTrace;
  delete Error.captureStackTrace;

  // -- Date -----------------------------------------------------------------------------------------------------

  let now = 0;
  const forms =
    'A text given to Date is a date alone, such as "2026-01-01", or a date and time with its offset, such as ' +
    '"2026-01-01T09:00:00Z" or "2026-01-01T09:00:00+02:00"';
  const dated =
    /^(\d{4}|[+-]\d{6})(?:-(\d{2})(?:-(\d{2}))?)?(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:(Z)|([+-])(\d{2}):(\d{2})))?$/;

  const daysIn = (year, month) =>
    month === 2 ? ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28)
      : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;

  function parse(text) {
    const found = exec(dated, text);
    if (found === null || found[1] === '-000000') throw new RawTypeError(forms);
    const year = +found[1];
    const month = found[2] === undefined ? 1 : +found[2];
    const day = found[3] === undefined ? 1 : +found[3];
    const hour = found[4] === undefined ? 0 : +found[4];
    const minute = found[5] === undefined ? 0 : +found[5];
    const second = found[6] === undefined ? 0 : +found[6];
    const milli = found[7] === undefined ? 0 : +slice(found[7] + '00', 0, 3);
    const aside = found[9] === undefined ? 0 : (+found[10] * 60 + +found[11]) * (found[9] === '-' ? -1 : 1);
    const inDay = hour < 24 || (hour === 24 && minute === 0 && second === 0 && milli === 0);
    const offsetFits = found[9] === undefined || (+found[10] < 24 && +found[11] < 60);
    if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || !inDay || minute > 59 || second > 59 || !offsetFits) {
      return NaN;
    }
    // Date.UTC reads a year below 100 as one of the 1900s, so the year is set on its own.
    const date = new RealDate(UTC(2000, 0, 1, hour, minute, second, milli) - UTC(2000, 0, 1));
    const clock = timeOf(date);
    const start = new RealDate(0);
    return setUTCFullYear(start, year, month - 1, day) + clock - aside * 60000;
  }

  function primitive(value) {
    const toPrimitive = value[toPrimitiveKey];
    if (toPrimitive !== undefined && toPrimitive !== null) return call.call(toPrimitive, value, 'default');
    const plain = value.valueOf();
    return plain !== null && (typeof plain === 'object' || typeof plain === 'function') ? RawString(value) : plain;
  }

  function instant(value) {
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
      let time;
      try {
        time = timeOf(value);
      } catch {
        return reading(primitive(value));
      }
      return time;
    }
    return reading(value);
  }

  const reading = (value) => (typeof value === 'string' ? parse(value) : +value);

  const tell = 'toISOString() gives the text of a Date; its text in local time is not available';
  const methods = {
    now() { return now; },
    parse(text) { return parse(`${text}`); },
    toString() { throw new RawTypeError(tell); },
    toLocaleString() { throw new RawTypeError(tell); },
  };
  const hide = (target, name, value) =>
    defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });

  const SandboxDate = function Date(value) {
    if (new.target === undefined) {
      throw new RawTypeError('Date is called with new; Date.now() gives the moment as a number');
    }
    if (arguments.length > 1) {
      throw new RawTypeError('A Date takes one value; Date.UTC gives the moment of several numbers');
    }
    return construct(RealDate, [arguments.length === 0 ? now : instant(value)], new.target);
  };
  defineProperty(SandboxDate, 'prototype', { value: dateProto, writable: false, enumerable: false, configurable: false });
  defineProperty(SandboxDate, 'length', { value: 7, writable: false, enumerable: false, configurable: true });
  hide(SandboxDate, 'UTC', UTC);
  hide(SandboxDate, 'now', methods.now);
  hide(SandboxDate, 'parse', methods.parse);
  hide(dateProto, 'constructor', SandboxDate);
  hide(dateProto, 'toString', methods.toString);
  hide(dateProto, 'toLocaleString', methods.toLocaleString);
  for (const part of ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds', 'Year']) {
    delete dateProto['get' + part];
    delete dateProto['set' + part];
  }
  for (const name of ['getTimezoneOffset', 'toDateString', 'toLocaleDateString', 'toLocaleTimeString', 'toTimeString']) {
    delete dateProto[name];
  }
  defineProperty(global, 'Date', { value: SandboxDate, writable: false, enumerable: false, configurable: false });

  // -- Freezing -------------------------------------------------------------------------------------------------

  // An assignment to a name that a frozen prototype holds would raise, so `view['constructor'] = x` and
  // `this.name = 'Mine'` in an error's class would. As accessors, they define a member of the object's own.
  function giveWay(holder, key) {
    const member = getOwnPropertyDescriptor(holder, key);
    if (member === undefined || !('value' in member) || !member.configurable) return;
    const { value } = member;
    defineProperty(holder, key, {
      enumerable: member.enumerable,
      configurable: false,
      get() { return value; },
      set(next) {
        if (this === holder) throw new RawTypeError(`'${RawString(key)}' is read-only`);
        defineProperty(this, key, { value: next, writable: true, enumerable: true, configurable: true });
      },
    });
  }

  function giveWayAll() {
    for (const key of ownKeys(Object.prototype)) giveWay(Object.prototype, key);
    for (const name of ownKeys(global)) {
      const value = getOwnPropertyDescriptor(global, name).value;
      if (typeof value !== 'function') continue;
      const proto = getOwnPropertyDescriptor(value, 'prototype')?.value;
      if (typeof proto !== 'object' || proto === null) continue;
      giveWay(proto, 'constructor');
      if (value === Error || getPrototypeOf(value) === Error) {
        giveWay(proto, 'name');
        giveWay(proto, 'message');
        giveWay(proto, 'toString');
      }
    }
  }

  let gaveWay = false;
  const frozen = new Set();

  function freeze(...roots) {
    const open = [...roots];
    if (!gaveWay) {
      gaveWay = true;
      giveWayAll();
      open.push(global, promiseProto, ...functionProtos, ...unnamed);
    }
    while (open.length > 0) {
      const item = open.pop();
      if (item === null || (typeof item !== 'object' && typeof item !== 'function') || frozen.has(item)) continue;
      frozen.add(item);
      freezeOne(item);
      if (!isFrozen(item)) throw new RawTypeError('An object of the library cannot be frozen');
      open.push(getPrototypeOf(item));
      for (const key of ownKeys(item)) {
        const member = getOwnPropertyDescriptor(item, key);
        if ('value' in member) open.push(member.value);
        else open.push(member.get, member.set);
      }
    }
    return frozen.size;
  }

  // -- What was thrown ------------------------------------------------------------------------------------------

  // Enough for 1,024 bytes and to see that there is more.
  const most = 1100;

  function textOf(value) {
    try {
      return slice(RawString(value), 0, most);
    } catch {
      return undefined;
    }
  }

  function member(error, name) {
    try {
      const value = error[name];
      return value === undefined ? '' : (textOf(value) ?? '');
    } catch {
      return '';
    }
  }

  // The text of what was thrown, and the stack of an error. It may run the program's own getters, under a budget.
  function describe(thrown) {
    if (!isError(thrown)) return [textOf(thrown) ?? 'a value that has no text', ''];
    const name = member(thrown, 'name');
    const message = member(thrown, 'message');
    const text = name === '' ? message : message === '' ? name : slice(`${name}: ${message}`, 0, most);
    return [text === '' ? 'Error' : text, stackOf(thrown) ?? ''];
  }

  const setClock = (milliseconds) => { now = milliseconds; };
  const drain = () => { for (;;); };

  return [setClock, freeze, describe, drain];
})()
