package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/models"
)

// CH1
func TestSearchFindsWordsInAnyScript(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u", Title: "Weekend plans 周末计划"}
		must(t, s.CreateConversation(t.Context(), &conv))
		names := map[string]string{"": "title"}
		for name, text := range map[string]string{
			"weather":  "今天天气很好，我们去公园散步吧。",
			"code":     "我用Go语言写了一个file_server.go，速度很快",
			"english":  "The quick brown Fox jumps over the lazy dog's back; naïve café",
			"japanese": "東京タワーへ行きましょう。ｶﾀｶﾅ",
			"korean":   "안녕하세요 세계",
			"mixed":    "GPT-4o 支持 128K 上下文 🎉",
			"wide":     "ＡＢＣ１２３",
			"cyrillic": "Привет, мир. Ёлка",
			"long":     strings.Repeat("x", 100) + " end",
		} {
			names[addMessage(t, s, conv.ID, "", text).ID] = name
		}
		for _, test := range []struct {
			query string
			want  []string
		}{
			{"天气", []string{"weather"}},                 // two characters
			{"天", []string{"weather"}},                  // one
			{"吧", []string{"weather"}},                  // one, at the end
			{"今天天气很好", []string{"weather"}},             // a sentence
			{"天天", []string{"weather"}},                 // across words
			{"气天", nil},                                 // not in that order
			{"好我", nil},                                 // not across a comma
			{"公园 天气", []string{"weather"}},              // both
			{"公园 语言", nil},                              // not both
			{"语言", []string{"code"}},                    //
			{"用Go写", []string{"code"}},                  // scripts mixed in one word
			{"go", []string{"code"}},                    //
			{"file_server.go", []string{"code"}},        //
			{"server", []string{"code"}},                //
			{"FOX", []string{"english"}},                // any case
			{"qui", []string{"english"}},                // from its beginning
			{"uick", nil},                               // not its middle
			{"fox quick", []string{"english"}},          // any order
			{"dog's", []string{"english"}},              //
			{"naive cafe", []string{"english"}},         // without accents
			{"東京", []string{"japanese"}},                //
			{"タワー", []string{"japanese"}},               //
			{"세계", []string{"korean"}},                  //
			{"하세요", []string{"korean"}},                 //
			{"gpt-4o", []string{"mixed"}},               //
			{"支持 128k", []string{"mixed"}},              //
			{"🎉", []string{"mixed"}},                    //
			{"abc123", []string{"wide"}},                // full-width letters
			{"привет", []string{"cyrillic"}},            //
			{"елка", []string{"cyrillic"}},              //
			{strings.Repeat("x", 80), []string{"long"}}, //
			{"weekend", []string{"title"}},              //
			{"计划", []string{"title"}},                   //
			{"weekend weather", nil},                    // in one document
			{"", nil}, {"  ", nil}, {"!?…", nil}, {"¶u", nil}, {"\x00", nil},
		} {
			hits, err := s.Search(t.Context(), "u", SearchQuery{Text: test.query})
			if err != nil {
				t.Errorf("%q: %v", test.query, err)
				continue
			}
			var got []string
			for _, hit := range hits.Items {
				got = append(got, names[hit.MessageID])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q found %v, want %v", test.query, got, test.want)
			}
		}
	})
}

func TestSpecialCharactersInAQueryAreNoError(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u", Title: "and or not near"}
		must(t, s.CreateConversation(t.Context(), &conv))
		for _, query := range []string{`"`, `'`, `*`, `a*`, `"a`, `a"b`, `(`, `)`, `a AND`, `AND`, `OR`, `NOT`,
			`NEAR(a b)`, `^a`, `a:b`,
			`terms:a`, `-a`, `+`, `{a b}:c`, `\`, `%`, `_`, `;--`, "a\x00b", "\xff\xfe", `a OR b`, strings.Repeat("a ",
				5000), strings.Repeat("长", 5000)} {
			if _, err := s.Search(t.Context(), "u", SearchQuery{Text: query}); err != nil {
				t.Errorf("search for %.40q: %v", query, err)
			}
			if _, err := s.ListConversations(t.Context(), "u", ConversationQuery{Q: query}); err != nil {
				t.Errorf("list with %.40q: %v", query, err)
			}
		}
		for _, query := range []string{"AND", "or", "NOT near"} { // words like any other
			if hits, err := s.Search(t.Context(), "u", SearchQuery{Text: query}); err != nil || len(hits.Items) != 1 {
				t.Errorf("search for %q: %v, %v", query, hits.Items, err)
			}
		}
	})
}

func TestSearchKeepsInStepWithTitles(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u", Title: "before"}
		must(t, s.CreateConversation(t.Context(), &conv))
		_, err := s.UpdateConversation(t.Context(), "u", conv.ID, 0, func(c *models.Conversation) error {
			c.Title = "after"
			return nil
		})
		must(t, err)
		for query, want := range map[string]int{"before": 0, "after": 1} {
			hits, err := s.Search(t.Context(), "u", SearchQuery{Text: query})
			must(t, err)
			if len(hits.Items) != want {
				t.Errorf("%q found %v", query, hits.Items)
			}
		}
	})
}

func TestSearchPagesNewestFirst(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		project := models.Project{UserID: "u", Name: "p"}
		must(t, s.CreateProject(ctx, &project))
		var convs [2]models.Conversation
		convs[0].ProjectID = project.ID
		for i := range convs {
			convs[i].UserID = "u"
			must(t, s.CreateConversation(ctx, &convs[i]))
		}
		var all, inProject []string
		for i := range 20 {
			id := addMessage(t, s, convs[i%2].ID, "", fmt.Sprint("word ", i)).ID
			all = append([]string{id}, all...)
			if i%2 == 0 {
				inProject = append([]string{id}, inProject...)
			}
		}
		for projectID, want := range map[string][]string{"": all, project.ID: inProject} {
			var got []string
			for query := (SearchQuery{Text: "word", ProjectID: projectID, Page: Page{Limit: 3}}); ; {
				page, err := s.Search(ctx, "u", query)
				must(t, err)
				for _, hit := range page.Items {
					got = append(got, hit.MessageID)
				}
				if len(page.Items) > 3 {
					t.Errorf("a page of 3 holds %d", len(page.Items))
				}
				if query.Cursor = page.Next; query.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("project %q: the pages held\n%v, want\n%v", projectID, got, want)
			}
		}
	})
}

func TestASearchHitSaysWhereItIs(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u", Title: "The title"}
		must(t, s.CreateConversation(t.Context(), &conv))
		message := addMessage(t, s, conv.ID, "", "first line\n\nneedle in\ta haystack")
		hits, err := s.Search(t.Context(), "u", SearchQuery{Text: "NEEDLE"})
		must(t, err)
		want := SearchHit{ConversationID: conv.ID, Title: "The title", MessageID: message.ID, Role: models.RoleUser,
			Snippet: "first line needle in a haystack", At: message.CreatedAt}
		if len(hits.Items) != 1 || hits.Items[0] != want {
			t.Errorf("found %+v, want %+v", hits.Items, want)
		}
		hits, err = s.Search(t.Context(), "u", SearchQuery{Text: "title"})
		must(t, err)
		want = SearchHit{ConversationID: conv.ID, Title: "The title", Snippet: "The title", At: conv.CreatedAt}
		if len(hits.Items) != 1 || hits.Items[0] != want {
			t.Errorf("found %+v, want %+v", hits.Items, want)
		}
	})
}

func TestASnippetIsCutAroundTheFirstMatch(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("before ", 50) + "needle" + strings.Repeat(" after", 50)
	chinese := strings.Repeat("前", 100) + "目标" + strings.Repeat("后", 200)
	for _, test := range []struct{ text, query, want string }{
		{"short needle", "needle", "short needle"},
		{words, "needle", "…" + words[350-40:350+120] + "…"},
		{chinese, "目标", "…" + strings.Repeat("前", 40) + "目标" + strings.Repeat("后", 118) + "…"},
		{"no match", "zebra", "no match"},
		{"", "zebra", ""},
	} {
		if got := snippet(test.text, parseSearch("u", test.query)); got != test.want {
			t.Errorf("%q in %.20q:\n%q, want\n%q", test.query, test.text, got, test.want)
		}
	}
}

func FuzzSearchNeverFailsAndFindsWhatWasWritten(f *testing.F) {
	for _, text := range []string{"hello world", "今天天气", `"a" AND b*`, "ａ１😀é\u0301", "\xff ไทย", "İß ﬁ Ⅷ ½", "ー々"} {
		f.Add(text, text)
	}
	s := openSQLite(f, newClock())
	conv := models.Conversation{UserID: "u"}
	must(f, s.CreateConversation(f.Context(), &conv))
	f.Fuzz(func(t *testing.T, text, query string) {
		if len(text) > 2000 || !utf8.ValidString(text) {
			return
		}
		message := addMessage(t, s, conv.ID, "", text)
		defer func() { must(t, s.DeleteMessage(t.Context(), "u", conv.ID, message.ID)) }()
		hits, err := s.Search(t.Context(), "u", SearchQuery{Text: query})
		if err != nil {
			t.Fatalf("search for %q: %v", query, err)
		}
		for _, hit := range hits.Items {
			if !utf8.ValidString(hit.Snippet) {
				t.Errorf("the snippet %q of %q is no text", hit.Snippet, text)
			}
		}
		if len(parseSearch("u", text).terms) == 0 {
			return
		}
		hits, err = s.Search(t.Context(), "u", SearchQuery{Text: text})
		if err != nil || !slices.ContainsFunc(hits.Items, func(h SearchHit) bool { return h.MessageID == message.ID }) {
			t.Errorf("%q does not find itself: %v", text, err)
		}
	})
}
