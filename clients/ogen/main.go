// Command ogen runs the scenario of the client tests with the client that ogen makes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"

	api "nanoclaw/clients/build/ogen"
)

// noToken is the credential of a server that asks for none (auth_mode: single).
type noToken struct{}

func (noToken) Token(context.Context, api.OperationName) (api.Token, error) {
	return api.Token{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ogen: ")
	if err := scenario(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func scenario(ctx context.Context, server string) error {
	client, err := api.NewClient(server, noToken{})
	if err != nil {
		return err
	}
	project, err := client.CreateProject(ctx, &api.CreateProjectInputBody{Name: "ogen"}, api.CreateProjectParams{})
	if err != nil {
		return err
	}
	if project.Response.ID == "" || project.Location.Value == "" || project.ETag.Value == "" {
		return fmt.Errorf("create-project: %+v", project)
	}
	if err := files(ctx, client, project.Response.ID); err != nil {
		return err
	}
	return turn(ctx, client, project.Response.ID)
}

func files(ctx context.Context, client *api.Client, project string) error {
	const text = "written by a generated client\n"
	written, err := client.WriteFile(ctx, api.WriteFileReq{Data: strings.NewReader(text)},
		api.WriteFileParams{ID: project, Path: "notes/a b.txt"})
	if err != nil {
		return err
	}
	if created, ok := written.(*api.WriteFileCreatedHeaders); !ok || !created.Response.Created {
		return fmt.Errorf("write-file: %+v", written)
	}
	form := &api.UploadFilesReq{File: []http.MultipartFile{{Name: "uploaded.txt", File: strings.NewReader(text)}}}
	uploaded, err := client.UploadFiles(ctx, form, api.UploadFilesParams{ID: project})
	if err != nil {
		return err
	}
	if len(uploaded.Items) != 1 || uploaded.Items[0].Path != "uploaded.txt" {
		return fmt.Errorf("upload-files: %+v", uploaded)
	}
	list, err := client.ListFiles(ctx, api.ListFilesParams{ID: project, Recursive: api.NewOptBool(true)})
	if err != nil {
		return err
	}
	if !list.NextCursor.Null || len(list.Items) != 3 {
		return fmt.Errorf("list-files: %+v", list)
	}
	answer, err := client.ReadFile(ctx, api.ReadFileParams{ID: project, Path: "notes/a b.txt"})
	if err != nil {
		return err
	}
	content, ok := answer.(*api.ReadFileOKHeaders)
	if !ok {
		return fmt.Errorf("read-file: %+v", answer)
	}
	if read, err := io.ReadAll(content.Response.Data); err != nil || string(read) != text {
		return fmt.Errorf("read-file: %q, %v", read, err)
	}

	_, err = client.GetProject(ctx, api.GetProjectParams{ID: "no-such-project"})
	var problem *api.ProblemStatusCode
	if !errors.As(err, &problem) || problem.StatusCode != 404 || problem.Response.Code != "not_found" ||
		problem.Response.Detail == "" {
		return fmt.Errorf("get-project of none: %w", err)
	}
	return nil
}

// turn asks for a calculation, whose call waits for a person.
func turn(ctx context.Context, client *api.Client, project string) error {
	settings := api.NewOptConversationSettings(api.ConversationSettings{ProjectID: api.NewOptNilString(project)})
	conversation, err := client.CreateConversation(ctx, settings, api.CreateConversationParams{})
	if err != nil {
		return err
	}
	id := conversation.Response.ID
	started, err := client.StartRun(ctx, &api.StartRunInputBody{Text: "Compute 12*(3+4)"}, api.StartRunParams{ID: id})
	if err != nil {
		return err
	}
	run, ok := started.(*api.RunHeaders)
	if !ok || !run.Response.FinishedAt.Null || !run.Response.Error.Null {
		return fmt.Errorf("start-run: %+v", started)
	}

	if _, err := await(ctx, client, run.Response.ID, api.RunStatusWaitingApproval); err != nil {
		return err
	}
	approvals, err := client.ListApprovals(ctx, api.ListApprovalsParams{ConversationID: api.NewOptString(id)})
	if err != nil {
		return err
	}
	if len(approvals.Items) != 1 {
		return fmt.Errorf("list-approvals: %+v", approvals)
	}
	waiting := approvals.Items[0]
	if waiting.Status != api.ApprovalStatusPending || !waiting.DecidedAt.Null || !waiting.DecidedBy.Null ||
		waiting.ToolCall.Function.Name != "calculator" {
		return fmt.Errorf("list-approvals: %+v", waiting)
	}
	decided, err := client.Decide(ctx, &api.DecideInputBody{Decision: api.DecideInputBodyDecisionApprove},
		api.DecideParams{ID: waiting.ID})
	if err != nil {
		return err
	}
	if decided.DecidedAt.Null || decided.DecidedAt.Value.IsZero() {
		return fmt.Errorf("decide: %+v", decided)
	}

	ended, err := await(ctx, client, run.Response.ID, api.RunStatusCompleted)
	if err != nil {
		return err
	}
	if ended.FinishedAt.Null {
		return fmt.Errorf("a completed run has no finished_at")
	}
	messages, err := client.ListMessages(ctx, api.ListMessagesParams{ID: id})
	if err != nil {
		return err
	}
	if !messages.NextCursor.Null || len(messages.Items) != 2 {
		return fmt.Errorf("list-messages: %+v", messages)
	}
	question, answer := messages.Items[0], messages.Items[1]
	if !question.ParentID.Null || !question.Usage.Null || answer.ParentID.Null || answer.Usage.Null ||
		len(answer.ToolCalls) != 1 {
		return fmt.Errorf("list-messages: %+v", messages)
	}
	return nil
}

func await(ctx context.Context, client *api.Client, id string, status api.RunStatus) (*api.Run, error) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		run, err := client.GetRun(ctx, api.GetRunParams{ID: id})
		switch {
		case err != nil:
			return nil, err
		case run.Status == status:
			return run, nil
		case !run.FinishedAt.Null || time.Now().After(deadline):
			return nil, fmt.Errorf("get-run: %s instead of %s: %+v", run.Status, status, run)
		}
	}
}
