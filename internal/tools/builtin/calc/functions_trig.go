package calc

import "github.com/cockroachdb/apd/v3"

func init() {
	angle := func(name string, call func(v value, at int) (*apd.Decimal, error)) {
		functions[name] = function{1, 1, name + "(x)", transcendental, func(_ *evaluator, a []value, at int) (value, error) {
			d, err := call(a[0], at)
			if err != nil {
				return value{}, err
			}
			rounded := new(apd.Decimal)
			_, err = work.Round(rounded, d)
			return near(rounded), explain(err, at)
		}}
	}
	angle("sin", func(v value, at int) (*apd.Decimal, error) {
		return sine(v, 0, at)
	})
	angle("cos", func(v value, at int) (*apd.Decimal, error) {
		return sine(v, 1, at)
	})
	angle("tan", func(v value, at int) (*apd.Decimal, error) {
		top, err := sine(v, 0, at)
		if err != nil {
			return nil, err
		}
		bottom, err := sine(v, 1, at)
		if err != nil {
			return nil, err
		}
		if bottom.IsZero() {
			return nil, fail(at, "the tangent of a right angle is infinite")
		}
		a := &arithmetic{ctx: turns}
		return a.quo(top, bottom), explain(a.err, at)
	})
	angle("asin", func(v value, at int) (*apd.Decimal, error) {
		x, other, err := unitCircle("asin", v, at)
		if err != nil {
			return nil, err
		}
		return arctangent(x, other, at)
	})
	angle("acos", func(v value, at int) (*apd.Decimal, error) {
		x, other, err := unitCircle("acos", v, at)
		if err != nil {
			return nil, err
		}
		return arctangent(other, x, at)
	})
	angle("atan", func(v value, at int) (*apd.Decimal, error) {
		x, err := v.decimal(at)
		if err != nil {
			return nil, err
		}
		return arctangent(x, apd.New(1, 0), at)
	})
	functions["atan2"] = function{2, 2, "atan2(y, x)", transcendental, func(_ *evaluator, a []value, at int) (value, error) {
		y, err := a[0].decimal(at)
		if err != nil {
			return value{}, err
		}
		x, err := a[1].decimal(at)
		if err != nil {
			return value{}, err
		}
		d, err := arctangent(y, x, at)
		if err != nil {
			return value{}, err
		}
		rounded := new(apd.Decimal)
		_, err = work.Round(rounded, d)
		return near(rounded), explain(err, at)
	}}
	angle("sinh", func(v value, at int) (*apd.Decimal, error) { return hyperbolic(v, at, taylorSinh, (*arithmetic).sub) })
	angle("cosh", func(v value, at int) (*apd.Decimal, error) { return hyperbolic(v, at, taylorCosh, (*arithmetic).add) })
	angle("tanh", func(v value, at int) (*apd.Decimal, error) {
		top, err := hyperbolic(v, at, taylorSinh, (*arithmetic).sub)
		if err != nil {
			return nil, err
		}
		bottom, err := hyperbolic(v, at, taylorCosh, (*arithmetic).add)
		if err != nil {
			return nil, err
		}
		a := &arithmetic{ctx: turns}
		return a.quo(top, bottom), explain(a.err, at)
	})
}

// unitCircle is x and the length that makes a point of the unit circle of it.
func unitCircle(name string, v value, at int) (x, other *apd.Decimal, err error) {
	if x, err = v.decimal(at); err != nil {
		return nil, nil, err
	}
	one := apd.New(1, 0)
	a := &arithmetic{ctx: turns}
	product := a.mul(a.sub(one, x), a.add(one, x))
	if a.err == nil && product.Sign() < 0 {
		return nil, nil, fail(at, "%s takes numbers from -1 to 1", name)
	}
	return x, a.sqrt(product), explain(a.err, at)
}

// hyperbolic is (e^x ± e^-x) / 2, and a power series where the two nearly cancel out.
func hyperbolic(v value, at int, near taylor, combine func(a *arithmetic, x, y *apd.Decimal) *apd.Decimal) (*apd.Decimal, error) {
	x, err := v.decimal(at)
	if err != nil {
		return nil, err
	}
	if new(apd.Decimal).Abs(x).Cmp(apd.New(5, -1)) < 0 {
		a := &arithmetic{ctx: turns}
		return a.series(x, near), explain(a.err, at)
	}
	up, err := exponential(precise, x, at)
	if err != nil {
		return nil, err
	}
	a := &arithmetic{ctx: turns}
	down := a.quo(apd.New(1, 0), up)
	return a.quo(combine(a, up, down), apd.New(2, 0)), explain(a.err, at)
}
