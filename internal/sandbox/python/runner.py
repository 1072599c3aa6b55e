# The other end of run.go: waits for one request on descriptor 3, runs its code
# in a fresh namespace, answers on descriptor 4 and ends.
import ast, builtins, fcntl, json, linecache, os, sys, traceback

FILE = "<code>"
REVEALING = frozenset((
    "__subclasses__", "__globals__", "__builtins__", "__code__", "__closure__", "__bases__", "__base__", "__mro__", "__import__", "__loader__",
    "__spec__", "f_globals", "f_builtins", "f_locals", "f_back", "gi_frame", "cr_frame", "ag_frame", "tb_frame", "__reduce__", "__reduce_ex__",
))


class NotAllowed(ImportError):
    """What the code may not use at its level of strictness."""


def restrict(tree, request):
    """Makes the builtins that the code sees, and looks for what goes around them."""
    level = request["level"]
    modules = frozenset(request["modules"])

    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in REVEALING:
            raise NotAllowed(f"line {node.lineno}: the attribute {node.attr} is not allowed at strictness {level}")
        if isinstance(node, ast.Name) and node.id in ("__import__", "__builtins__", "__loader__"):
            raise NotAllowed(f"line {node.lineno}: {node.id} is not allowed at strictness {level}; write an import statement")

    def allowed(name):
        parts = name.split(".")
        return any(".".join(parts[:n]) in modules for n in range(1, len(parts) + 1))

    def refuse(name):
        raise NotAllowed(f"the module {name} is not allowed at strictness {level}; allowed are: {', '.join(sorted(modules))}")

    def import_allowed(name, globals=None, locals=None, fromlist=(), depth=0):
        if depth:
            raise NotAllowed("relative imports are not allowed: there is no package here")
        if not allowed(name):
            wanted = [f"{name}.{one}" for one in fromlist or ()]
            if not wanted or not all(allowed(one) for one in wanted):
                refuse(name)
        return builtins.__import__(name, None, None, fromlist or (), 0)

    def stub(name):
        def refused(*args, **kwargs):
            raise NotAllowed(f"the builtin {name} is not allowed at strictness {level}")
        refused.__name__ = name
        return refused

    visible = dict(vars(builtins))
    for name in request["forbidden"]:
        visible[name] = stub(name)
    visible["__import__"] = import_allowed
    return visible


FIGURES, FIGURE_BYTES, ALL_FIGURES_BYTES = 10, 4 << 20, 8 << 20


class Figures:
    """The figures of matplotlib: those that the code saves, and those that it leaves open."""

    def __init__(self):
        self.kept, self.saved, self.bytes, self.left_out = [], [], 0, 0

    def find_spec(self, name, path=None, target=None):
        if name != "matplotlib.figure":
            return None
        import importlib.util  # few calls draw, and every one starts anew
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            self.watch(module.Figure)
        spec.loader.exec_module = exec_module
        return spec

    def watch(self, figure):
        save = figure.savefig

        def savefig(this, fname, *args, **kwargs):
            result = save(this, fname, *args, **kwargs)
            if isinstance(fname, (str, os.PathLike)):
                try:
                    with open(fname, "rb") as file:
                        self.keep(os.path.basename(fname), file.read(FIGURE_BYTES + 1))
                    self.saved.append(this)
                except OSError:
                    pass  # it was saved under another name, with its ending
            return result
        savefig.__doc__ = save.__doc__
        figure.savefig = savefig

    def keep(self, name, data):
        if len(self.kept) >= FIGURES or len(data) > FIGURE_BYTES or self.bytes + len(data) > ALL_FIGURES_BYTES:
            self.left_out += 1
            return
        import base64
        self.bytes += len(data)
        self.kept.append({"name": str(name), "data": base64.b64encode(data).decode()})

    def collect(self):
        """All of them, with the open ones as PNG."""
        plot = sys.modules.get("matplotlib.pyplot")
        if plot:
            import io
        for number in plot.get_fignums() if plot else ():
            figure = plot.figure(number)
            if not any(figure is one for one in self.saved):
                file = io.BytesIO()
                figure.savefig(file, format="png")
                self.keep(f"figure-{number}.png", file.getvalue())
        return {"figures": self.kept, "figures_left_out": self.left_out} if self.kept or self.left_out else {}


def explain(error):
    """The exception as text, and its traceback from the code's own first line on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    name = type(error).__name__
    text = str(error)
    told = traceback.TracebackException(type(error), error, trace, limit=-30)
    told.stack[:] = [frame for frame in told.stack if frame.filename != "<string>"]  # of this program
    lines = list(told.format())
    return {"error": f"{name}: {text}" if text else name, "traceback": "".join(lines)[-16000:], "blocked": isinstance(error, NotAllowed)}


def run(request):
    source = request["code"]
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    tree = ast.parse(source, FILE)
    space = {"__name__": "__main__", "__doc__": None, "__package__": None}
    if request["level"] != "lenient":
        space["__builtins__"] = restrict(tree, request)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, FILE, "exec", dont_inherit=True), space)
    if last is None:
        return {}
    value = eval(compile(ast.Expression(last.value), FILE, "eval", dont_inherit=True), space)
    if value is None:
        return {}
    text = repr(value)
    limit = request["value_limit"]
    return {"value": text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"}


def main():
    # The code has the numbers that it would have elsewhere: its first file is 3.
    channel = fcntl.fcntl(4, fcntl.F_DUPFD_CLOEXEC, 200)
    os.close(4)
    os.set_inheritable(3, False)
    sys.stdout.reconfigure(line_buffering=True, encoding="utf-8", errors="backslashreplace")
    sys.stderr.reconfigure(line_buffering=True, encoding="utf-8", errors="backslashreplace")
    os.write(channel, b"R")  # ready
    with open(3, encoding="utf-8") as requests:
        line = requests.readline()
    if not line:
        return
    request = json.loads(line)
    mark = request.pop("mark").encode()  # says which line of the channel is the answer
    figures = Figures()
    sys.meta_path.insert(0, figures)
    try:
        answer = run(request)
    except SystemExit as exit:
        answer = {} if exit.code in (None, 0) else {"error": f"SystemExit: {exit.code}"}
    except MemoryError:
        answer = {"error": "MemoryError: the code used more memory than it may have"}
    except BaseException as error:
        answer = explain(error)
    try:
        answer.update(figures.collect())
    except BaseException as error:
        print(f"the figures could not be kept: {type(error).__name__}: {error}", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    data = b"\n" + mark + json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(channel, data):]
    os._exit(0)


main()
