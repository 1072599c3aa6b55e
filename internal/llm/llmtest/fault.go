package llmtest

// Fault is a way to misbehave on the wire. Each one was seen in a real server.
type Fault string

// Faults of streamed tool calls.
const (
	Interleaved      Fault = "interleaved"       // the calls' fragments alternate
	TypeRepeated     Fault = "type_repeated"     // "type":"function" on every fragment
	TypeMissing      Fault = "type_missing"      // no "type" at all
	EmptyFragment    Fault = "empty_fragment"    // a last fragment with a new index and nothing in it
	EmptyTail        Fault = "empty_tail"        // a last fragment of the last call with "" in every field
	IndexMissing     Fault = "index_missing"     // no "index" at all
	IndexZero        Fault = "index_zero"        // every call has index 0
	IDMissing        Fault = "id_missing"        // no "id" at all
	IDRepeated       Fault = "id_repeated"       // the id on every fragment
	IDFresh          Fault = "id_fresh"          // another id on every fragment
	IDsEqual         Fault = "ids_equal"         // all calls of the reply have the same id
	NameRepeated     Fault = "name_repeated"     // the name on every fragment
	ArgumentsObject  Fault = "arguments_object"  // arguments are a JSON object instead of text
	ArgumentsWhole   Fault = "arguments_whole"   // each call in one fragment
	LegacyFunction   Fault = "legacy_function"   // the first call as function_call
	FinishStop       Fault = "finish_stop"       // finish_reason "stop" although tools are called
	ReasoningInCalls Fault = "reasoning_in_call" // an empty content and reasoning stand beside each fragment
)

// Faults of how an answer ends.
const (
	NoFinish    Fault = "no_finish"    // the stream ends cleanly without finish_reason and [DONE]
	NoDone      Fault = "no_done"      // finish_reason, then the end without [DONE]
	DoneOnly    Fault = "done_only"    // [DONE] without finish_reason
	FinishAgain Fault = "finish_again" // finish_reason twice
	ErrorEvent  Fault = "error_event"  // {"error":…} in mid-stream (ErrorMessage, ErrorCode)
	NamedError  Fault = "named_error"  // "event: error" and {"message":…} in mid-stream
	BrokenJSON  Fault = "broken_json"  // half a JSON object in mid-stream
	Cut         Fault = "cut"          // the connection breaks in mid-stream
	Stall       Fault = "stall"        // in mid-stream nothing more comes, the connection stays open
	StallAtEnd  Fault = "stall_at_end" // after finish_reason nothing more comes, the connection stays open
	Hang        Fault = "hang"         // no byte of an answer ever comes
	HangUp      Fault = "hang_up"      // the connection breaks before the first byte
)

// Faults of text and framing.
const (
	Reasoning      Fault = "reasoning"       // thinking in "reasoning" instead of "reasoning_content"
	ThinkTags      Fault = "think_tags"      // thinking as <think>…</think> at the start of the text
	UTF8Split      Fault = "utf8_split"      // network packets end in the middle of a character
	BytesSplit     Fault = "bytes_split"     // a character's bytes are spread over two chunks
	SurrogateSplit Fault = "surrogate_split" // a surrogate pair is spread over two chunks
	ContentParts   Fault = "content_parts"   // content is an array of parts
	ContentNull    Fault = "content_null"    // content, tool_calls and reasoning are null where they are empty
	CRLF           Fault = "crlf"            // lines end with CR LF
	NoSpace        Fault = "no_space"        // "data:{…}"
	NoBlankLines   Fault = "no_blank_lines"  // events are not separated
	DataLines      Fault = "data_lines"      // one event's JSON is spread over several data lines
	Comments       Fault = "comments"        // comment lines between the events
	JSONAnswer     Fault = "json_answer"     // one JSON document instead of a stream
	HTMLPage       Fault = "html_page"       // a web page, with whatever status
)

// Faults of usage. Without one, usage comes in a last chunk without choices,
// where the request asks for it (stream_options).
const (
	UsageNone   Fault = "usage_none"   // never
	UsageEach   Fault = "usage_each"   // growing, in each chunk
	UsageFinish Fault = "usage_finish" // in the chunk of the finish_reason
)

// allFaults is what a script may name.
var allFaults = []Fault{
	Interleaved, TypeRepeated, TypeMissing, EmptyFragment, EmptyTail, IndexMissing, IndexZero, IDMissing,
	IDRepeated, IDFresh, IDsEqual, NameRepeated, ArgumentsObject, ArgumentsWhole, LegacyFunction, FinishStop,
	ReasoningInCalls, NoFinish, NoDone, DoneOnly, FinishAgain, ErrorEvent, NamedError, BrokenJSON, Cut, Stall,
	StallAtEnd, Hang, HangUp, Reasoning, ThinkTags, UTF8Split, BytesSplit, SurrogateSplit, ContentParts,
	ContentNull, CRLF, NoSpace, NoBlankLines, DataLines, Comments, JSONAnswer, HTMLPage, UsageNone, UsageEach,
	UsageFinish,
}
