package calc

import (
	"sort"
	"strings"
	"sync"

	"github.com/cockroachdb/apd/v3"
)

// function is one that an expression may call.
type function struct {
	least, most int // number of arguments; most < 0: any number
	usage       string
	cost        int // units of work beside that of exact arithmetic
	call        func(e *evaluator, args []value, position int) (value, error)
}

var constants = map[string]func() value{
	"pi":  func() value { return near(piDecimal()) },
	"tau": func() value { return near(tau()) },
	"e":   func() value { return near(euler()) },
}

var tau = sync.OnceValue(func() *apd.Decimal {
	a := &arithmetic{ctx: turns}
	return a.add(piDecimal(), piDecimal())
})

var euler = sync.OnceValue(func() *apd.Decimal {
	d := new(apd.Decimal)
	if _, err := turns.Exp(d, apd.New(1, 0)); err != nil {
		panic("calc: e: " + err.Error())
	}
	return d
})

// functions is filled by init of the files that hold them: they call evaluate,
// which looks them up.
var functions = map[string]function{}

func (e *evaluator) call(n *node) (value, error) {
	f := functions[n.text]
	nodes := n.args
	if len(nodes) == 1 && nodes[0].kind == nodeList && f.most < 0 {
		nodes = nodes[0].args
	}
	if len(nodes) < f.least || f.most >= 0 && len(nodes) > f.most {
		return value{}, fail(n.position, "%s has %d arguments; it is used as %s", n.text, len(nodes), f.usage)
	}
	cost := 20 + f.cost
	args := make([]value, len(nodes))
	for i, arg := range nodes {
		v, err := e.eval(arg)
		if err != nil {
			return value{}, err
		}
		args[i] = v
		if f.cost > 0 {
			cost += v.size() * v.size() / 4
		}
	}
	if err := e.spend(cost, n.position); err != nil {
		return value{}, err
	}
	return f.call(e, args, n.position)
}

func unknownName(name token) error {
	known := make([]string, 0, len(functions)+len(constants))
	for function := range functions {
		known = append(known, function)
	}
	for constant := range constants {
		known = append(known, constant)
	}
	sort.Strings(known)
	shown := name.text
	if len(shown) > 40 {
		shown = strings.ToValidUTF8(shown[:40], "") + "…"
	}
	return fail(name.position, "%q is not known; known are %s", shown, strings.Join(known, ", "))
}
