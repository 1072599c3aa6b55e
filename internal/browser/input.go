package browser

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp/kb"

	"nanoclaw/internal/tools"
)

// Codes of failures beside those of package tools.
const (
	codeApproval = "approval_needed" // a person has to be asked first
	codeNotFound = "not_found"
	codeTooLarge = "too_large"
)

func (o *operation) click(ctx context.Context) error {
	node, err := o.tab.node(o.action.Ref)
	if err != nil {
		return err
	}
	return o.tab.do(ctx, func(ctx context.Context) error { return o.tab.click(ctx, node) })
}

// click clicks in the middle of an element.
func (t *tab) click(ctx context.Context, node cdp.BackendNodeID) error {
	x, y, err := t.middle(ctx, node)
	if err != nil {
		return err
	}
	mouse := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}
	if _, err := cdp.Call(ctx, t.page, input.DispatchMouseEvent, mouse); err != nil {
		return err
	}
	mouse.Button, mouse.ClickCount = input.MouseButtonLeft, 1
	for _, step := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed,
		input.DispatchMouseEventTypeMouseReleased} {
		mouse.Type = step
		if _, err := cdp.Call(ctx, t.page, input.DispatchMouseEvent, mouse); err != nil {
			return err
		}
	}
	return nil
}

// middle is the middle of an element on the screen, where it is scrolled to.
func (t *tab) middle(ctx context.Context, node cdp.BackendNodeID) (x, y float64, err error) {
	if _, err := cdp.Call(ctx, t.page, dom.ScrollIntoViewIfNeeded,
		dom.ScrollIntoViewIfNeededParams{BackendNodeID: node}); err != nil {
		if ctx.Err() != nil {
			return 0, 0, err
		}
		return 0, 0, t.notThere(ctx, node)
	}
	answer, err := cdp.Call(ctx, t.page, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: node})
	if err != nil {
		return 0, 0, err
	}
	for _, quad := range answer.Quads {
		if len(quad) == 8 && (quad[0] != quad[4] || quad[1] != quad[5]) {
			return (quad[0] + quad[2] + quad[4] + quad[6]) / 4, (quad[1] + quad[3] + quad[5] + quad[7]) / 4, nil
		}
	}
	return 0, 0, errUnseen
}

var errUnseen = tools.Errorf(tools.CodeInvalidArguments,
	"the element is not visible, so it cannot be operated: something may have to be opened first")

// notThere says why an element cannot be scrolled to.
func (t *tab) notThere(ctx context.Context, node cdp.BackendNodeID) error {
	if _, err := cdp.Call(ctx, t.page, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: node}); err != nil {
		return errGone
	}
	return errUnseen
}

// secret are the values of autocomplete that ask for a secret.
var secret = []string{"current-password", "new-password", "one-time-code", "cc-number", "cc-csc"}

// field is what is known of an element to type into.
type field struct{ tag, kind string }

func (t *tab) field(ctx context.Context, node cdp.BackendNodeID) (f field, sensitive bool, err error) {
	answer, err := cdp.Call(ctx, t.page, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: node})
	if err != nil {
		return f, false, errGone
	}
	f.tag = strings.ToLower(answer.Node.NodeName)
	for pair := range slices.Chunk(answer.Node.Attributes, 2) {
		name, value := strings.ToLower(pair[0]), strings.ToLower(strings.TrimSpace(pair[1]))
		switch name {
		case "type":
			f.kind = value
		case "autocomplete":
			sensitive = sensitive || slices.ContainsFunc(strings.Fields(value), func(word string) bool {
				return slices.Contains(secret, word)
			})
		}
	}
	return f, sensitive || f.tag == "input" && f.kind == "password", nil
}

// typeText types into a field, in the place of what is there, or presses a key.
func (o *operation) typeText(ctx context.Context) error {
	if o.action.Key != "" {
		return o.tab.do(ctx, func(ctx context.Context) error { return o.tab.press(ctx, o.action.Key) })
	}
	node, err := o.tab.node(o.action.Ref)
	if err != nil {
		return err
	}
	return o.tab.do(ctx, func(ctx context.Context) error {
		f, sensitive, err := o.tab.field(ctx, node)
		if err != nil {
			return err
		}
		if sensitive && !o.action.Sensitive {
			return tools.Errorf(codeApproval, "this field takes a password or another secret: call again with "+
				"sensitive true, so that a person is asked first")
		}
		if err := o.tab.fill(ctx, node, f, o.action.Text); err != nil || !o.action.Submit {
			return err
		}
		return o.tab.press(ctx, "Enter")
	})
}

// composed are the kinds of fields that are not typed into character by character.
var composed = []string{"date", "time", "datetime-local", "month", "week", "color", "range"}

func (t *tab) fill(ctx context.Context, node cdp.BackendNodeID, f field, text string) error {
	if f.tag == "input" && slices.Contains(composed, f.kind) {
		return t.run(ctx, node, setValue, nil, text)
	}
	if _, err := cdp.Call(ctx, t.page, dom.ScrollIntoViewIfNeeded,
		dom.ScrollIntoViewIfNeededParams{BackendNodeID: node}); err != nil {
		return t.notThere(ctx, node)
	}
	if _, err := cdp.Call(ctx, t.page, dom.Focus, dom.FocusParams{BackendNodeID: node}); err != nil {
		if err := t.click(ctx, node); err != nil {
			return err
		}
	}
	if err := t.run(ctx, node, selectAll, nil); err != nil {
		return err
	}
	if text == "" {
		return t.press(ctx, "Delete")
	}
	_, err := cdp.Call(ctx, t.page, input.InsertText, input.InsertTextParams{Text: text})
	return err
}

// Functions that are called on an element.
const (
	selectAll = `function() {
		if (typeof this.select === 'function') { this.select(); return }
		if (!this.isContentEditable) return
		const range = document.createRange(); range.selectNodeContents(this)
		const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range)
	}`
	setValue = `function(value) {
		this.value = value
		for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, {bubbles: true}))
	}`
	chooseOptions = `function(...wanted) {
		if (!(this instanceof HTMLSelectElement)) return 'no select'
		const options = [...this.options], found = []
		for (const text of wanted) {
			const one = options.find(o => o.value === text) ||
				options.find(o => o.label.trim().toLowerCase() === text.trim().toLowerCase())
			if (!one) return JSON.stringify(options.slice(0, 50).map(o => o.label.trim()))
			found.push(one)
		}
		if (found.length > 1 && !this.multiple) return 'one'
		for (const o of options) o.selected = found.includes(o)
		for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, {bubbles: true}))
		return ''
	}`
)

// run calls a function on an element. answer, where given, gets what it returns.
func (t *tab) run(ctx context.Context, node cdp.BackendNodeID, function string, answer any, args ...string) error {
	object, err := cdp.Call(ctx, t.page, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node})
	if err != nil {
		return errGone
	}
	params := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: object.Object.ObjectID,
		ReturnByValue: ptr(true), UserGesture: ptr(true)}
	for _, arg := range args {
		encoded, err := json.Marshal(arg)
		if err != nil {
			return err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: encoded})
	}
	result, err := cdp.Call(ctx, t.page, runtime.CallFunctionOn, params)
	// The page may be gone by what the function did.
	_, _ = cdp.Call(ctx, t.page, runtime.ReleaseObject,
		runtime.ReleaseObjectParams{ObjectID: object.Object.ObjectID})
	if err != nil {
		return err
	}
	if answer == nil || result.Result == nil || len(result.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(result.Result.Value, answer)
}

// choose chooses options of a list.
func (o *operation) choose(ctx context.Context) error {
	if len(o.action.Values) == 0 {
		return tools.Errorf(tools.CodeInvalidArguments, "op select needs values: the labels of the options")
	}
	node, err := o.tab.node(o.action.Ref)
	if err != nil {
		return err
	}
	return o.tab.do(ctx, func(ctx context.Context) error {
		var answer string
		if err := o.tab.run(ctx, node, chooseOptions, &answer, o.action.Values...); err != nil {
			return err
		}
		switch answer {
		case "":
			return nil
		case "no select":
			return tools.Errorf(tools.CodeInvalidArguments,
				"%s is not a list of options: click it, and then what you choose", o.action.Ref)
		case "one":
			return tools.Errorf(tools.CodeInvalidArguments, "%s takes one value", o.action.Ref)
		}
		return tools.Errorf(tools.CodeInvalidArguments, "there is no such option; there are %s", shorten(answer, 1000))
	})
}

// Keys that can be pressed by name.
var keys = map[string]rune{"Enter": '\r', "Tab": '\t', "Escape": []rune(kb.Escape)[0],
	"Backspace": []rune(kb.Backspace)[0], "Delete": []rune(kb.Delete)[0], "ArrowUp": []rune(kb.ArrowUp)[0],
	"ArrowDown": []rune(kb.ArrowDown)[0], "ArrowLeft": []rune(kb.ArrowLeft)[0], "ArrowRight": []rune(kb.ArrowRight)[0],
	"PageUp": []rune(kb.PageUp)[0], "PageDown": []rune(kb.PageDown)[0], "Home": []rune(kb.Home)[0],
	"End": []rune(kb.End)[0], "Space": ' '}

func (t *tab) press(ctx context.Context, name string) error {
	key, known := keys[name]
	if !known {
		return tools.Errorf(tools.CodeInvalidArguments, "there is no key %q", shorten(name, 20))
	}
	for _, event := range kb.Encode(key) {
		if _, err := cdp.Call(ctx, t.page, input.DispatchKeyEvent, *event); err != nil {
			return err
		}
	}
	return nil
}

// scroll turns the wheel over an element or over the middle of the page, or brings
// an element into sight.
func (o *operation) scroll(ctx context.Context) error {
	return o.tab.do(ctx, func(ctx context.Context) error {
		x, y := float64(viewportWidth)/2, float64(viewportHeight)/2
		if o.action.Ref != "" {
			node, err := o.tab.node(o.action.Ref)
			if err != nil {
				return err
			}
			if x, y, err = o.tab.middle(ctx, node); err != nil || o.action.Direction == "" {
				return err
			}
		}
		distance := viewportHeight * 0.8
		if o.action.Direction == "up" {
			distance = -distance
		}
		// The typed parameters leave out a deltaX of 0, which Chromium wants.
		return o.tab.page.Call(ctx, input.DispatchMouseEvent.Method, map[string]any{
			"type": input.DispatchMouseEventTypeMouseWheel, "x": x, "y": y, "deltaX": 0, "deltaY": distance}, nil)
	})
}
