package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/llm/llmtest"
)

// measureCurves prints what a run costs as a conversation, a run, the database and a
// project grow. Nothing may grow with the square.
func measureCurves(ctx context.Context, binary string, megabytes int) error {
	model, err := llmtest.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer model.Close()
	model.Keep(1)
	model.On(llmtest.UserContains("short")).Steps(llmtest.Text("Done."))
	for _, steps := range []int{10, 200} {
		var replies []llmtest.Reply
		for i := range steps - 1 {
			replies = append(replies, llmtest.Calls(llmtest.Call{Name: "calculator",
				Arguments: fmt.Sprintf(`{"expression":"1+%d"}`, i)}))
		}
		model.On(llmtest.User(fmt.Sprintf("%d steps", steps))).Steps(append(replies, llmtest.Text("Done."))...)
	}
	model.On(llmtest.User("files")).Steps(
		llmtest.Calls(llmtest.Call{Name: "file_read", Arguments: `{"path":"d0/f0.txt"}`},
			llmtest.Call{Name: "file_write", Arguments: `{"path":"d0/new.txt","content":"new"}`}),
		llmtest.Text("Done."))
	dir, err := os.MkdirTemp("", "nanoclaw-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := start(ctx, binary, dir, model)
	if err != nil {
		return err
	}
	c := curves{s: s, dir: dir}
	for _, part := range []func(context.Context) error{c.messages, c.steps, c.files} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	for _, size := range []int{10, megabytes} {
		if err := c.database(ctx, size); err != nil {
			return err
		}
	}
	return s.stop()
}

type curves struct {
	s   *server
	dir string
}

// print repeats a run and prints its mean time and processor time.
func (c curves) print(ctx context.Context, what, conversation, text string, repeat int) error {
	turn := func() error {
		var run struct {
			ID string `json:"id"`
		}
		if err := c.s.post(ctx, "/conversations/"+conversation+"/runs", map[string]any{"text": text},
			&run); err != nil {
			return err
		}
		return follow(ctx, c.s, run.ID)
	}
	if err := turn(); err != nil { // warm
		return fmt.Errorf("%s: %w", what, err)
	}
	before, err := c.s.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	for range repeat {
		if err := turn(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	wall := time.Since(began) / time.Duration(repeat)
	after, err := c.s.cpu()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f ms a run, %.1f ms of processor time\n", what, float64(wall.Microseconds())/1000,
		float64((after-before).Microseconds())/1000/float64(repeat))
	return nil
}

// conversation imports one with that many messages of that many characters.
func (c curves) conversation(ctx context.Context, count, characters int) (string, error) {
	var messages []map[string]any
	for i := range count {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		words := strings.Repeat(fmt.Sprintf("word%d and more ", i), characters/12+1)
		message := map[string]any{"id": fmt.Sprint(i), "role": role, "text": words[:characters]}
		if i > 0 {
			message["parent_id"] = fmt.Sprint(i - 1)
		}
		messages = append(messages, message)
	}
	var made struct {
		ID string `json:"id"`
	}
	err := c.s.post(ctx, "/conversations/import", map[string]any{
		"format": "nanoclaw.conversation/1", "conversation": map[string]any{"title": "bench"}, "messages": messages,
	}, &made)
	return made.ID, err
}

func (c curves) messages(ctx context.Context) error {
	for _, count := range []int{10, 200, 1000} {
		id, err := c.conversation(ctx, count, 200)
		if err != nil {
			return err
		}
		if err := c.print(ctx, fmt.Sprintf("conversation of %d messages", count), id, "short", 20); err != nil {
			return err
		}
	}
	return nil
}

func (c curves) steps(ctx context.Context) error {
	for _, steps := range []int{10, 200} {
		id, err := c.conversation(ctx, 2, 200)
		if err != nil {
			return err
		}
		if err := c.print(ctx, fmt.Sprintf("run of %d steps", steps), id, fmt.Sprintf("%d steps", steps),
			3); err != nil {
			return err
		}
	}
	return nil
}

func (c curves) files(ctx context.Context) error {
	for _, count := range []int{100, 50000} {
		var project struct {
			ID string `json:"id"`
		}
		if err := c.s.post(ctx, "/projects", map[string]any{"name": fmt.Sprint(count)}, &project); err != nil {
			return err
		}
		found, err := filepath.Glob(filepath.Join(c.dir, "workspaces", "*"+project.ID+"*"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("the project's folder: %v, %w", found, err)
		}
		for i := range count {
			folder := filepath.Join(found[0], fmt.Sprintf("d%d", i%100))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.txt", i)), []byte("text\n"),
				0o600); err != nil {
				return err
			}
		}
		var conv struct {
			ID string `json:"id"`
		}
		if err := c.s.post(ctx, "/conversations", map[string]any{"project_id": project.ID}, &conv); err != nil {
			return err
		}
		what := fmt.Sprintf("a read and a write in a project of %d files", count)
		if err := c.print(ctx, what, conv.ID, "files", 10); err != nil {
			return err
		}
	}
	return nil
}

// database fills the database to the size and measures short runs in a new
// conversation, and the list and the search of conversations.
func (c curves) database(ctx context.Context, megabytes int) error {
	for {
		info, err := os.Stat(filepath.Join(c.dir, "data", "nanoclaw.db"))
		if err != nil {
			return err
		}
		if info.Size() >= int64(megabytes)<<20 {
			break
		}
		group, ctx := errgroup.WithContext(ctx)
		for range 4 {
			group.Go(func() error {
				_, err := c.conversation(ctx, 100, 10000)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	id, err := c.conversation(ctx, 2, 200)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("database of %d MB", megabytes)
	if err := c.print(ctx, what, id, "short", 20); err != nil {
		return err
	}
	for _, path := range []string{"/conversations", "/conversations?q=word7"} {
		began := time.Now()
		response, err := c.s.client.Get(c.s.url + "/api/v1" + path)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s, %w", path, response.Status, err)
		}
		fmt.Printf("%s: GET %s takes %.1f ms\n", what, path, float64(time.Since(began).Microseconds())/1000)
	}
	return nil
}
