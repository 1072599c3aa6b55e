package demo

const (
	fileWord  = `(?:(?:a |an |the |my |this )?(?:new )?(?:empty )?(?:text |markdown )?(?:file |document |note )?(?:called |named )?)?`
	dirWord   = `(?:directory|folder|dir|subdirectory|subfolder)`
	saveVerbs = `(?:write|save|store|put|dump|record|output|export|note)`
	intoWords = `(?:to|into|in|as|under|onto|inside)`
)

// englishChanges are what makes, moves and removes files and folders.
func englishChanges() []rule {
	return []rule{
		on("en", `(?:make|create|add|mkdir)(?: me)?(?: a| an| the)?(?: new)?(?: empty)? `+dirWord+`(?: called| named)? {path}`, match.mkdir),
		on("en", `(?:make|create|add)(?: me)?(?: a| an| the)?(?: new)? {path} `+dirWord, match.mkdir),
		on("en", `mkdir(?: -p)? {path}`, match.mkdir),
		on("en", `(?:rename|move|mv)(?: the| my)?(?: file| folder| directory)? {path} (?:to|into|as|->)(?: the)?(?P<folder> folder| directory)? {to}(?P<folder2> folder| directory)?`, match.move),
		on("en", `(?:copy|duplicate|cp)(?: the| my)?(?: file)? {path} (?:to|into|as|->)(?: the)?(?: file)? {to}`, match.copy),
		on("en", `(?:delete|remove|erase|trash|get rid of|rm)(?P<r> -rf?)?(?: all)?(?: (?:of )?the| my)?(?: (?P<folder>`+dirWord+`s?))?(?: files?)?(?: called| named)? {paths}(?P<folder2> `+dirWord+`)?(?: file)?(?: (?:recursively|and everything in it|with everything in it))?`, match.delete),
		on("en", `(?:replace|change|substitute)(?P<all> all| every| each)?(?: occurrences? of| instances? of)?(?: the (?:word|text|string))? {old} (?:with|by|to|for|into) {text} in (?:the )?(?:file )?{path}(?: file)?`, match.edit),
		on("en", `in (?:the )?(?:file )?{path},? (?:replace|change|substitute)(?P<all> all| every| each)? {old} (?:with|by|to|for) {text}`, match.edit),
	}
}

// englishWriting puts text into files.
func englishWriting() []rule {
	return []rule{
		on("en", `(?:append|add)(?: the)? {text} (?:to|at|onto)(?: the)?(?: (?:very )?end of)?(?: the| my)?(?: file)? {path}(?: file)?`, match.append),
		on("en", `(?:append|add) to(?: the)?(?: end of)?(?: the)?(?: file)? {path}:? {text}`, match.append),
		on("en", `(?:overwrite|fill)(?: the)?(?: contents? of)?(?: the)?(?: file)? {path} with:? {text}`, match.write),
		on("en", `(?:write|create|make|add|generate)(?: me)? `+fileWord+`{path}(?: file)?,? (?:with|containing|that (?:says|contains|reads|holds)|saying|holding|and (?:write|put))(?: (?:the|a|its|as))*(?: (?:following|text|contents?|words?|line|sentence|message|body))*(?: (?:is|being|as))?:?\s*{text}(?: (?:in|into|inside|to) it)?`, match.write),
		on("en", `(?:create|make|write)(?: me)?(?: a| an)?(?: new)?(?: text)? file (?:with|containing|that says)(?: the)?(?: text| content| contents| words?)?:? {text} (?:called|named|as|at|in|under) {path}`, match.write),
		on("en", saveVerbs+`(?: down)? `+intoWords+`(?: the| a| my)?(?: new)?(?: file)?(?: called| named)? {path}(?: file)?(?::\s*| the (?:text|words?|line):? ){text}`, match.write),
		on("en", saveVerbs+`(?: down)? {text} `+intoWords+`(?: a| an| the| my)?(?: new)?(?: text| markdown)?(?: file| document)?(?: called| named)? {path}(?: file)?`, match.write),
		on("en", saveVerbs+`(?: down)? {text} `+intoWords+`(?: both)?(?: the)?(?: files)? {path} and {to}`, match.writeTwo),
		on("en", saveVerbs+`(?: down)? `+intoWords+`(?: a| an| the| my)?(?: new)?(?: text)?(?: file)?(?: called| named)? {path}(?: file)?`, match.saveResult),
		on("en", `(?:create|make|touch|add)(?: me)?(?: a| an| the)?(?: new)?(?: empty)?(?: text)? file(?: called| named)? {path}`, match.createEmpty),
		on("en", `(?:create|touch|make)(?: me)?(?: an?)?(?: new)?(?: empty)? {path}`, match.createEmpty),
	}
}

// englishReading looks at files and into them.
func englishReading() []rule {
	return []rule{
		on("en", `(?:check|see|test)?(?: whether| if)?\s*(?:there is|is there) (?:a )?(?:file )?(?:called |named )?{path}`, match.exists),
		on("en", `(?:does|check (?:whether|if)|see (?:whether|if)|test (?:whether|if))(?: the| a)?(?: file| folder| directory)?(?: called| named)? {path}(?: file)? exists?`, match.exists),
		on("en", `(?:list|show|display|print|see|enumerate|give|tell|get|what|which|ls|dir|find)(?: me)?(?: (?:all|the|of|my|project's|current|every|any|project|everything|existing))*(?: (?:files?|folders?|director(?:y|ies)|file list|documents?|entries|content|contents|listing|names of the files|file names))?(?: (?:and|or) (?:the )?(?:files?|folders?|directories|sub-?folders|their (?:sizes?|names?)))*(?P<deep> recursively)?(?: (?:are|is|exist|do|i|we|have|you|there|here|got|see))*(?P<deep2> recursively)?(?: (?:in|of|under|inside|from|at) {place})?(?P<deep3> recursively)?`, match.list),
		on("en", `what(?:'s| is) (?:in|inside)(?: the| this| my)? (?P<place>project|folder|directory|workspace|current (?:folder|directory)|here)`, match.list),
		on("en", `(?:list|show|display)(?: me)?(?: the)?(?: contents? of)?(?: the)? {path}(?P<folder> `+dirWord+`)?`, match.listDir),
		on("en", `(?:ls|dir)(?: -\w+)*(?: {path})?`, match.listDir),
		on("en", `(?:list|find|show|get|locate|search for)(?: me)?(?: (?:all|the|of|every|any))*(?: files?)?(?: (?:named|called|matching|like|with (?:the )?(?:name|extension)|ending (?:in|with)))? (?P<glob>\S*[*.]\S+?)(?: files?)?(?: (?:in|under) {place})?`, match.glob),
		on("en", `(?:list|find|show|get|locate|search for)(?: me)?(?: (?:all|the|of|every|any))* (?P<type>[a-z]+) files(?: (?:in|under) {place})?`, match.globType),
		on("en", `(?:find|locate|search for)(?: all| the| a| any)* files? (?:named|called|matching|like) {path}(?: (?:in|under) {place})?`, match.globNamed),
		on("en", `(?:which|what|find|list|show)(?: me)?(?: (?:all|the|every))* (?:files?|lines?)(?: that| which)? (?:contain|contains|containing|mention|mentions|mentioning|have|has|with|include|includes)(?: the (?:text|word|string|phrase))? {text}`, match.grep),
		on("en", `(?:search|grep|look|find|scan)(?: (?:in|through|inside))?(?: (?:the|my|all|these|project|every))*(?: (?:files?|project|folder|workspace|code))? for(?: the)?(?: (?:text|word|string|phrase|pattern|occurrences of|lines with))? {text}(?: (?:in|inside|within|across)(?: the| all| my| every)*(?: files?| project| folder| directory| workspace| code)*(?: {place})?)?`, match.grep),
		on("en", `(?:search|grep|scan|look in|look through)(?: the)?(?: file| folder)? {path} for(?: the)?(?: text| word| string| phrase)? {text}`, match.grep),
		on("en", `(?:grep|find|search)(?: the)?(?: text| word| string| phrase)? {text} in(?: the| all| my| every)*(?: files?| project| folder| directory| workspace| code)*(?: {place})?`, match.grep),
		on("en", `(?:grep|search)(?: for)? {text}`, match.grep),
		on("en", `(?:read|show|print|display|cat)(?: me)? (?:the )?(?:(?P<first>first) (?P<n>\d+) lines?|lines? (?P<from>\d+)(?:\s*(?:-|–|to|through)\s*(?P<till>\d+))?) (?:of|from|in)(?: the)?(?: file)? {path}`, match.read),
		on("en", `(?:read|cat|open|show|display|view|print|check|look at|see|tell|get|output|load)(?: me)?(?: (?:out|back|the|contents?|of|text|what(?:'s| is) in|my|whole|full|again|a))*(?: file)? {paths}(?: (?:file|back|again|aloud|out|to me))*`, match.read),
		on("en", `(?:read|cat|open|show|view)(?: me)?(?: (?:the|that|this))*(?: file)?(?: back| again)?`, match.readAgain),
		on("en", `what(?:'s| is| does)(?: there)?(?: in| inside| written in)?(?: the)?(?: file| contents? of)? {path}(?: say| contain| hold| look like)?`, match.read),
	}
}
