package calc

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// transcendental is the cost of one series, in units of work.
const transcendental = 20_000

func init() {
	half := value{exact: big.NewRat(1, 2)}
	real := func(name string, usage string, call func(e *evaluator, a []value, at int) (value, error)) {
		functions[name] = function{1, 1, usage, transcendental, call}
	}
	real("sqrt", "sqrt(x)", func(e *evaluator, a []value, at int) (value, error) {
		if a[0].sign() < 0 {
			return value{}, fail(at, "a negative number has no real square root")
		}
		if root, ok := exactRoot(a[0], half); ok {
			return root, nil
		}
		return apply(a[0], at, work.Sqrt)
	})
	real("cbrt", "cbrt(x)", func(_ *evaluator, a []value, at int) (value, error) {
		if a[0].isZero() {
			return small(0), nil
		}
		v, err := nearPower(a[0], value{exact: big.NewRat(1, 3)}, true, at)
		return settle(v, a[0], 3, err)
	})
	real("exp", "exp(x)", func(_ *evaluator, a []value, at int) (value, error) {
		if a[0].isZero() {
			return small(1), nil
		}
		x, err := a[0].decimal(at)
		if err != nil {
			return value{}, err
		}
		result, err := exponential(work, x, at)
		return near(result), err
	})
	functions["log"] = function{1, 2, "log(x) or log(x, base)", 2 * transcendental, logarithm}
	functions["ln"] = function{1, 1, "ln(x)", transcendental, logarithm}
	functions["log2"] = function{1, 1, "log2(x)", 2 * transcendental, func(e *evaluator, a []value, at int) (value, error) {
		return logarithm(e, []value{a[0], small(2)}, at)
	}}
	functions["log10"] = function{1, 1, "log10(x)", 2 * transcendental, func(e *evaluator, a []value, at int) (value, error) {
		return logarithm(e, []value{a[0], small(10)}, at)
	}}
	functions["pow"] = function{2, 2, "pow(x, y)", 0, func(e *evaluator, a []value, at int) (value, error) {
		return e.binary("**", a[0], a[1], at)
	}}
	functions["hypot"] = function{1, -1, "hypot(x, y, …)", transcendental, hypotenuse}
	real("degrees", "degrees(x)", func(_ *evaluator, a []value, at int) (value, error) {
		return convert(a[0], apd.New(180, 0), piDecimal(), at)
	})
	real("radians", "radians(x)", func(_ *evaluator, a []value, at int) (value, error) {
		return convert(a[0], piDecimal(), apd.New(180, 0), at)
	})
}

// apply is a function of one decimal.
func apply(v value, at int, do func(d, x *apd.Decimal) (apd.Condition, error)) (value, error) {
	x, err := v.decimal(at)
	if err != nil {
		return value{}, err
	}
	d := new(apd.Decimal)
	_, err = do(d, x)
	return near(d), explain(err, at)
}

// settle makes a root exact when its power is the exact argument.
func settle(root, argument value, power int64, err error) (value, error) {
	if err != nil || argument.exact == nil {
		return root, err
	}
	guess, err := root.rational(0)
	if err != nil || guess.Num().BitLen()+guess.Denom().BitLen() > 1_000 {
		return root, nil
	}
	n := big.NewInt(power)
	raised := new(big.Rat).SetFrac(new(big.Int).Exp(guess.Num(), n, nil), new(big.Int).Exp(guess.Denom(), n, nil))
	if raised.Cmp(argument.exact) == 0 {
		return value{exact: guess}, nil
	}
	return root, nil
}

// logarithm is natural or to a base.
func logarithm(_ *evaluator, a []value, at int) (value, error) {
	if a[0].sign() <= 0 {
		return value{}, fail(at, "only positive numbers have a logarithm")
	}
	if a[0].exact != nil && a[0].exact.Cmp(big.NewRat(1, 1)) == 0 {
		return small(0), nil
	}
	top, err := naturalOf(a[0], at)
	if err != nil {
		return value{}, err
	}
	if len(a) == 1 {
		return near(top), nil
	}
	if a[1].sign() <= 0 || a[1].exact != nil && a[1].exact.Cmp(big.NewRat(1, 1)) == 0 {
		return value{}, fail(at, "the base of a logarithm is positive and not 1")
	}
	bottom, err := naturalOf(a[1], at)
	if err != nil {
		return value{}, err
	}
	return nearly(near(top), near(bottom), at, work.Quo)
}

// naturalOf is ln v. An exact v is taken with more digits: near 1 they count.
func naturalOf(v value, at int) (*apd.Decimal, error) {
	x, err := v.decimalIn(turns, at)
	if err != nil {
		return nil, err
	}
	return naturalLogarithm(x, at)
}

func hypotenuse(e *evaluator, a []value, at int) (value, error) {
	total := small(0)
	for _, side := range a {
		square, err := e.binary("*", side, side, at)
		if err != nil {
			return value{}, err
		}
		if total, err = e.binary("+", total, square, at); err != nil {
			return value{}, err
		}
	}
	return functions["sqrt"].call(e, []value{total}, at)
}

func convert(v value, times, by *apd.Decimal, at int) (value, error) {
	if v.isZero() {
		return small(0), nil
	}
	x, err := v.decimal(at)
	if err != nil {
		return value{}, err
	}
	a := &arithmetic{ctx: work}
	d := a.quo(a.mul(x, times), by)
	return near(d), explain(a.err, at)
}
