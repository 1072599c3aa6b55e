package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/memory"

	"nanoclaw/internal/tools"
)

// Limits of snapshots.
const (
	maxSnapshot = 1 << 20 // bytes, whatever the configuration says
	maxNodes    = 150_000 // of the documents of a page's process
	maxFrames   = 30
	maxDepth    = 40 // levels that are indented
)

// snapshot adds the page as text to the result.
func (o *operation) snapshot(ctx context.Context) error {
	var part cdp.BackendNodeID
	if o.action.Op == "snapshot" && o.action.Ref != "" {
		node, err := o.tab.node(o.action.Ref)
		if err != nil {
			return err
		}
		part = node
	}
	text, cut, err := o.tab.describe(ctx, part, o.settings.SnapshotLimit)
	o.result.Snapshot, o.result.Cut = text, cut
	return err
}

// describe is the accessibility tree of the page, or of a part of it, as text.
func (t *tab) describe(ctx context.Context, part cdp.BackendNodeID, limit int) (text string, cut bool, err error) {
	err = t.do(ctx, func(ctx context.Context) error {
		counters, err := cdp.Call(ctx, t.page, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			return err
		}
		if counters.Nodes > maxNodes {
			return tools.Errorf(codeTooLarge, "the page has %d elements, which is too much to describe: "+
				"take a screenshot, or read it with fetch_page", counters.Nodes)
		}
		w := &writer{tab: t, limit: limit, part: part, writing: part == 0}
		err = w.frame(ctx, "", 0)
		text, cut = string(w.text), w.cut
		if err == nil && part != 0 && !w.found {
			return errGone
		}
		return err
	})
	return text, cut, err
}

// writer writes accessibility trees.
type writer struct {
	tab     *tab
	limit   int
	part    cdp.BackendNodeID // only this one and what is below; 0: everything
	writing bool
	found   bool
	cut     bool
	frames  int
	text    []byte
	nodes   map[accessibility.NodeID]*accessibility.Node
}

// frame writes the document of a frame; empty: of the page.
func (w *writer) frame(ctx context.Context, id cdp.FrameID, depth int) error {
	if w.frames++; w.frames > maxFrames {
		w.cut = true
		return nil
	}
	answer, err := cdp.Call(ctx, w.tab.page, accessibility.GetFullAXTree,
		accessibility.GetFullAXTreeParams{FrameID: id})
	if err != nil || len(answer.Nodes) == 0 {
		return err
	}
	outer := w.nodes
	w.nodes = make(map[accessibility.NodeID]*accessibility.Node, len(answer.Nodes))
	for _, node := range answer.Nodes {
		w.nodes[node.NodeID] = node
	}
	err = w.children(ctx, answer.Nodes[0], depth, "")
	w.nodes = outer
	return err
}

// children writes what is below a node. Texts that the node's own name says are
// left out.
func (w *writer) children(ctx context.Context, node *accessibility.Node, depth int, name string) error {
	var texts []string
	flush := func() {
		if text := squeeze(strings.Join(texts, " ")); text != "" && !strings.Contains(name, text) {
			w.line(depth, shorten(text, 2000))
		}
		texts = texts[:0]
	}
	for _, id := range node.ChildIDs {
		child := w.nodes[id]
		if child == nil || w.cut {
			continue
		}
		if !child.Ignored && value(child.Role) == "StaticText" {
			texts = append(texts, value(child.Name))
			continue
		}
		flush()
		if err := w.node(ctx, child, depth, name); err != nil {
			return err
		}
	}
	flush()
	return nil
}

// silent are the roles that say nothing by themselves.
var silent = map[string]bool{"": true, "none": true, "generic": true, "InlineTextBox": true, "LineBreak": true,
	"ListMarker": true, "MenuListPopup": true, "RootWebArea": true, "LayoutTable": true, "LayoutTableRow": true,
	"LayoutTableCell": true, "presentation": true, "Abbr": true, "strong": true, "emphasis": true, "rowgroup": true, "LabelText": true}

// node writes one node and what is below.
func (w *writer) node(ctx context.Context, node *accessibility.Node, depth int, outer string) error {
	starts := w.part != 0 && node.BackendDOMNodeID == w.part
	if starts {
		w.found, w.writing, depth = true, true, 0
		defer func() { w.writing = false }()
	}
	role, name := value(node.Role), squeeze(value(node.Name))
	focusable := property(node, "focusable") == "true"
	if node.Ignored || silent[role] && (!focusable || name == "") {
		return w.children(ctx, node, depth, outer)
	}
	line := role
	if name != "" {
		line += fmt.Sprintf(" %q", shorten(name, 200))
	}
	refers := interactive[role] || focusable && role != "option"
	if refers && node.BackendDOMNodeID != 0 && w.writing {
		line += " [" + w.tab.ref(node.BackendDOMNodeID) + "]"
	}
	line += states(node, role)
	if text, only := w.onlyText(node); only && name == "" {
		if text != "" || refers {
			w.line(depth, strings.TrimSuffix(line+": "+shorten(text, 2000), ": "))
		}
		return nil
	}
	before := len(w.text)
	w.line(depth, line)
	after := len(w.text)
	if role == "Iframe" {
		return w.inner(ctx, node, depth+1)
	}
	if whole[role] {
		return nil
	}
	err := w.children(ctx, node, depth+1, name+"\n"+squeeze(value(node.Value)))
	if len(w.text) == after && name == "" && !refers {
		w.text = w.text[:before] // it says nothing
	}
	return err
}

// onlyText is the text of a node that holds nothing else.
func (w *writer) onlyText(node *accessibility.Node) (text string, only bool) {
	var texts []string
	for _, id := range node.ChildIDs {
		child := w.nodes[id]
		if child == nil {
			continue
		}
		if child.Ignored || value(child.Role) != "StaticText" {
			return "", false
		}
		texts = append(texts, value(child.Name))
	}
	return squeeze(strings.Join(texts, " ")), len(node.ChildIDs) > 0
}

// whole are the roles whose inside nobody operates.
var whole = map[string]bool{"spinbutton": true, "Date": true, "DateTime": true, "InputTime": true, "ColorWell": true,
	"slider": true, "image": true}

// inner writes the document of an iframe.
func (w *writer) inner(ctx context.Context, node *accessibility.Node, depth int) error {
	owner, err := cdp.Call(ctx, w.tab.page, dom.DescribeNode, dom.DescribeNodeParams{
		BackendNodeID: node.BackendDOMNodeID})
	if err != nil || owner.Node.FrameID == "" {
		return nil // it is gone, or has not loaded
	}
	if err := w.frame(ctx, owner.Node.FrameID, depth); err != nil && ctx.Err() != nil {
		return err
	}
	return nil // a frame that is gone meanwhile
}

// line writes a line, while there is room.
func (w *writer) line(depth int, text string) {
	if !w.writing || w.cut {
		return
	}
	indent := strings.Repeat("  ", min(depth, maxDepth))
	if len(w.text)+len(indent)+len(text)+3 > w.limit {
		w.cut = true
		return
	}
	w.text = append(w.text, indent+"- "+text+"\n"...)
}

// interactive are the roles of what can be operated.
var interactive = map[string]bool{"link": true, "button": true, "textbox": true, "searchbox": true, "combobox": true,
	"checkbox": true, "radio": true, "switch": true, "slider": true, "spinbutton": true, "menuitem": true,
	"menuitemcheckbox": true, "menuitemradio": true, "tab": true, "treeitem": true, "listbox": true,
	"DisclosureTriangle": true, "Iframe": true, "image": true, "Date": true, "DateTime": true, "InputTime": true,
	"ColorWell": true, "PopUpButton": true, "form": true, "dialog": true, "main": true, "navigation": true,
	"article": true, "region": true, "table": true, "grid": true}

// shown are the properties that are told, where they are not what one expects.
var shown = []string{"checked", "pressed", "selected", "expanded", "disabled", "required", "invalid", "readonly",
	"level", "focused"}

// states are the properties and the value of a node.
func states(node *accessibility.Node, role string) string {
	var text strings.Builder
	for _, name := range shown {
		switch state := property(node, name); state {
		case "", "false":
			if name == "checked" && state != "" || name == "expanded" && state != "" {
				text.WriteString(" [" + name + "=false]")
			}
		case "true":
			text.WriteString(" [" + name + "]")
		default:
			text.WriteString(" [" + name + "=" + shorten(state, 20) + "]")
		}
	}
	if role == "link" {
		if address := property(node, "url"); address != "" {
			text.WriteString(" -> " + shorten(address, 120))
		}
	}
	if content := squeeze(value(node.Value)); content != "" {
		text.WriteString(": " + shorten(content, 200))
	}
	return text.String()
}

// ref is the reference of an element: the same as long as the document lives.
func (t *tab) ref(id cdp.BackendNodeID) string {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	ref, known := t.refs[id]
	if !known {
		t.session.nextRef++
		ref = fmt.Sprintf("e%d", t.session.nextRef)
		t.refs[id], t.nodes[ref] = ref, id
	}
	return ref
}

// node is the element of a reference.
func (t *tab) node(ref string) (cdp.BackendNodeID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ref == "" {
		return 0, tools.Errorf(tools.CodeInvalidArguments, "ref is missing: name an element of the snapshot, such as e12")
	}
	id, known := t.nodes[strings.Trim(ref, "[] ")]
	if !known {
		return 0, tools.Errorf(codeNotFound,
			"there is no element %s on this page now: take a snapshot and use its references", shorten(ref, 20))
	}
	return id, nil
}

var errGone = tools.Errorf(codeNotFound,
	"the element is not on the page any more: take a snapshot and use its references")

// value is a value of the tree as text.
func value(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}

func property(node *accessibility.Node, name string) string {
	for _, one := range node.Properties {
		if string(one.Name) == name {
			return value(one.Value)
		}
	}
	return ""
}

// squeeze makes any white space one space.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
