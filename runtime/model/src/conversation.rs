//! A conversation with a model: what is sent, what comes back, and why nothing came.
//!
//! "How a run works" of reasoning functions. Values alone: who speaks to a provider, and who records, are elsewhere.
//! Every value here is kept as JSON in a run's history, so its written shape stays readable for ever.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a conversation, after the instructions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What the run says.
    User {
        /// Not empty.
        text: String,
    },
    /// What the model answered.
    Assistant {
        /// In the order the model wrote them.
        parts: Vec<Part>,
    },
    /// What the tools answered, one for each call of the assistant's message before it.
    Tool {
        /// In the order of the calls.
        results: Vec<ToolResult>,
    },
}

/// A part of a model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text of the answer.
    Text {
        /// As the model wrote it.
        text: String,
        /// What the provider wants back with this part in the next call, as it gave it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        provider: Option<Value>,
    },
    /// The model's reasoning, where the provider shows any; never part of the answer.
    Reasoning {
        /// As the provider shows it, perhaps empty.
        text: String,
        /// What the provider wants back with this part in the next call, such as a signature.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        provider: Option<Value>,
    },
    /// A call of a tool that the model asks for.
    ToolCall {
        /// The id the model gave it, or one made for it where the provider gives none.
        id: String,
        /// The tool's name as it was offered.
        name: String,
        /// The arguments; text where what the model wrote is no JSON object.
        arguments: Value,
        /// What the provider wants back with this part in the next call.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        provider: Option<Value>,
    },
}

/// What a tool answered, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// The tool's name as it was offered.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether the tool says that it failed, or the call was refused.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_error: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A tool as a model is offered it. "What the model sees".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedTool {
    /// Letters, digits and underscores, at most 64.
    pub name: String,
    /// At most 4 KiB.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// The arguments' JSON Schema, as the server gives it.
    pub input_schema: Value,
}

/// The effort of a model that reasons. "Fields".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning.
    None,
    /// The least.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// The most.
    Xhigh,
}

/// What a document's `config` says, its default filled in. "Fields".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSettings {
    /// 1 to 64,000.
    pub max_output_tokens: u32,
    /// The sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top_p: Option<f64>,
    /// 0 or more, and at most 2^53 - 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<u64>,
    /// Texts at which the answer stops.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stop_sequences: Vec<String>,
    /// The reasoning effort.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<Effort>,
}

/// One call of a model, before a provider writes it in its own way.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The model asked for, as `provider/model`, before aliases.
    pub model: String,
    /// The system instructions; nothing where they are empty.
    pub instructions: Option<String>,
    /// The conversation so far: a user's message first.
    pub messages: Vec<Message>,
    /// The tools offered; none in a run's last step.
    pub tools: Vec<OfferedTool>,
    /// The settings.
    pub settings: ModelSettings,
    /// The schema a JSON answer must match; nothing for text.
    pub output_schema: Option<Value>,
    /// `provider_options` of the document: options by namespace, checked at save.
    pub provider_options: Map<String, Value>,
}

/// Why an answer ended. "What a run records".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done, or wrote a stop sequence.
    Stop,
    /// The tokens were used up.
    Length,
    /// The provider withheld it.
    ContentFilter,
    /// The model asks for tool calls.
    ToolCalls,
    /// The provider says that it failed.
    Error,
    /// Any other reason.
    Other,
}

/// Tokens, each nothing where the provider does not say. "What a run records".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the input.
    pub input: InputTokens,
    /// Tokens of the answer.
    pub output: OutputTokens,
    /// All of them, as the provider adds them up, or input and output together.
    pub total: Option<u64>,
}

/// Tokens of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputTokens {
    /// All of them, cached or not.
    pub total: Option<u64>,
    /// Those neither read from a cache nor written to one.
    pub uncached: Option<u64>,
    /// Those read from a cache.
    pub cache_read: Option<u64>,
    /// Those written to a cache.
    pub cache_write: Option<u64>,
}

/// Tokens of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutputTokens {
    /// All of them.
    pub total: Option<u64>,
    /// Those of text.
    pub text: Option<u64>,
    /// Those of reasoning.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Both together: a count is known where both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Self {
            input: InputTokens {
                total: add(self.input.total, other.input.total),
                uncached: add(self.input.uncached, other.input.uncached),
                cache_read: add(self.input.cache_read, other.input.cache_read),
                cache_write: add(self.input.cache_write, other.input.cache_write),
            },
            output: OutputTokens {
                total: add(self.output.total, other.output.total),
                text: add(self.output.text, other.output.text),
                reasoning: add(self.output.reasoning, other.output.reasoning),
            },
            total: add(self.total, other.total),
        }
    }
}

/// What a provider answered to one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// What the model wrote, in order.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// The provider's own word for that.
    pub raw_finish_reason: Option<String>,
    /// The tokens.
    pub usage: Usage,
    /// US dollars, where a gateway says what the call cost.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_usd: Option<f64>,
    /// The provider's id of the response; for Bedrock, of the request.
    pub response_id: Option<String>,
    /// The model after aliases, as `provider/model`.
    pub resolved_model: String,
    /// The model as the provider names it in its answer.
    pub answered_model: Option<String>,
    /// What the provider, or the writing of its request, ignored or changed; a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// Bytes of the request's body.
    pub request_bytes: u64,
    /// Bytes of the answer's body.
    pub response_bytes: u64,
}

impl ModelAnswer {
    /// The text of the answer.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| if let Part::Text { text, .. } = part { Some(text.as_str()) } else { None })
            .collect()
    }
}

/// Why a call of a model did not answer. "The run's model calls".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallFailed {
    /// The run was cancelled.
    Cancelled,
    /// The model refused the content under its policy.
    ContentRefused,
    /// The provider rejects the credentials.
    CredentialsRejected,
    /// The provider rejects the model, the schema or a setting; or an option that its gateway does not allow.
    DefinitionInvalid,
    /// The attempt ended before the call did.
    Interrupted,
    /// The model is outside the operator's allowed models.
    ModelNotAllowed,
    /// A JSON answer is none, does not match its schema, or is cut off.
    OutputInvalid,
    /// The provider is not configured, or its certificate is not trusted.
    ProviderNotConfigured,
    /// The provider cannot be reached or cannot serve now.
    ProviderUnavailable,
    /// The provider limits the rate of requests.
    RateLimited,
    /// The provider signals that the request is too long.
    RequestTooLong,
    /// The call took longer than it may.
    TimedOut,
}

/// A call of a model that did not answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// Why.
    pub because: CallFailed,
    /// The provider's name, or the gateway's.
    pub provider: String,
    /// A sentence for the caller: the provider, the HTTP status and what it means. Holds no credential, and quotes the
    /// provider's words only where they may be quoted.
    pub detail: String,
    /// The HTTP status, where one came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// How long the provider asks to wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_after_ms: Option<u64>,
    /// The provider's own words, at most 1,024 bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider_words: Option<String>,
    /// The code or type by which the provider signals it, such as `context_length_exceeded`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signal: Option<String>,
    /// The tokens of an answer that cannot be used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
    /// What an answer that cannot be used cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_usd: Option<f64>,
    /// Why an answer that cannot be used ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finish_reason: Option<FinishReason>,
}
