// Command oapi runs the scenario of the client tests with the client that oapi-codegen makes.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"mime/multipart"
	"os"
	"time"

	"nanoclaw/clients/build/oapi"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("oapi-codegen: ")
	if err := scenario(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func scenario(ctx context.Context, server string) error {
	client, err := oapi.NewClientWithResponses(server)
	if err != nil {
		return err
	}

	project, err := client.CreateProjectWithResponse(ctx, nil, oapi.CreateProjectInputBody{Name: "oapi-codegen"})
	if err != nil {
		return err
	}
	if project.JSON201 == nil {
		return unexpected("create-project", project.HTTPResponse.Status, project.Body)
	}
	id := project.JSON201.Id

	if err := files(ctx, client, id); err != nil {
		return err
	}
	return turn(ctx, client, id)
}

func files(ctx context.Context, client *oapi.ClientWithResponses, project string) error {
	const text = "written by a generated client\n"
	written, err := client.WriteFileWithBodyWithResponse(ctx, project, "notes/a b.txt", nil, "application/octet-stream",
		bytes.NewBufferString(text))
	if err != nil {
		return err
	}
	if written.JSON201 == nil || !written.JSON201.Created {
		return unexpected("write-file", written.HTTPResponse.Status, written.Body)
	}

	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("file", "uploaded.txt")
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err == nil {
		err = parts.Close()
	}
	if err != nil {
		return err
	}
	uploaded, err := client.UploadFilesWithBodyWithResponse(ctx, project, nil, parts.FormDataContentType(), &form)
	if err != nil {
		return err
	}
	if uploaded.JSON201 == nil || uploaded.JSON201.Items[0].Path != "uploaded.txt" {
		return unexpected("upload-files", uploaded.HTTPResponse.Status, uploaded.Body)
	}

	recursive := true
	list, err := client.ListFilesWithResponse(ctx, project, &oapi.ListFilesParams{Recursive: &recursive})
	if err != nil {
		return err
	}
	if list.JSON200 == nil || list.JSON200.NextCursor != nil || len(list.JSON200.Items) != 3 {
		return unexpected("list-files", list.HTTPResponse.Status, list.Body)
	}
	read, err := client.ReadFileWithResponse(ctx, project, "notes/a b.txt", nil)
	if err != nil {
		return err
	}
	if string(read.Body) != text {
		return unexpected("read-file", read.HTTPResponse.Status, read.Body)
	}

	missing, err := client.GetProjectWithResponse(ctx, "no-such-project")
	if err != nil {
		return err
	}
	problem := missing.ApplicationproblemJSONDefault
	if problem == nil || problem.Status != 404 || problem.Code != "not_found" || problem.Detail == "" {
		return unexpected("get-project of none", missing.HTTPResponse.Status, missing.Body)
	}
	return nil
}

// turn asks for a calculation, whose call waits for a person.
func turn(ctx context.Context, client *oapi.ClientWithResponses, project string) error {
	conversation, err := client.CreateConversationWithResponse(ctx, nil, oapi.ConversationSettings{ProjectId: &project})
	if err != nil {
		return err
	}
	if conversation.JSON201 == nil || conversation.JSON201.ProjectId == nil {
		return unexpected("create-conversation", conversation.HTTPResponse.Status, conversation.Body)
	}
	id := conversation.JSON201.Id
	started, err := client.StartRunWithResponse(ctx, id, nil, oapi.StartRunInputBody{Text: "Compute 12*(3+4)"})
	if err != nil {
		return err
	}
	run := started.JSON202
	if run == nil || run.FinishedAt != nil || run.Error != nil {
		return unexpected("start-run", started.HTTPResponse.Status, started.Body)
	}

	if _, err := await(ctx, client, run.Id, oapi.RunStatusWaitingApproval); err != nil {
		return err
	}
	approvals, err := client.ListApprovalsWithResponse(ctx, &oapi.ListApprovalsParams{ConversationId: &id})
	if err != nil {
		return err
	}
	if approvals.JSON200 == nil || len(approvals.JSON200.Items) != 1 {
		return unexpected("list-approvals", approvals.HTTPResponse.Status, approvals.Body)
	}
	waiting := approvals.JSON200.Items[0]
	if waiting.Status != oapi.ApprovalStatusPending || waiting.DecidedAt != nil || waiting.DecidedBy != nil ||
		waiting.ToolCall.Function.Name != "calculator" {
		return unexpected("list-approvals", approvals.HTTPResponse.Status, approvals.Body)
	}
	decided, err := client.DecideWithResponse(ctx, waiting.Id, nil,
		oapi.DecideInputBody{Decision: oapi.DecideInputBodyDecisionApprove})
	if err != nil {
		return err
	}
	if decided.JSON200 == nil || decided.JSON200.DecidedAt == nil || decided.JSON200.DecidedAt.IsZero() {
		return unexpected("decide", decided.HTTPResponse.Status, decided.Body)
	}

	ended, err := await(ctx, client, run.Id, oapi.RunStatusCompleted)
	if err != nil {
		return err
	}
	if ended.FinishedAt == nil {
		return fmt.Errorf("a completed run has no finished_at")
	}
	messages, err := client.ListMessagesWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	if messages.JSON200 == nil || messages.JSON200.NextCursor != nil || len(messages.JSON200.Items) != 2 {
		return unexpected("list-messages", messages.HTTPResponse.Status, messages.Body)
	}
	question, answer := messages.JSON200.Items[0], messages.JSON200.Items[1]
	if question.ParentId != nil || question.Usage != nil || answer.ParentId == nil || answer.Usage == nil ||
		len(answer.ToolCalls) != 1 {
		return unexpected("list-messages", messages.HTTPResponse.Status, messages.Body)
	}
	return nil
}

func await(ctx context.Context, client *oapi.ClientWithResponses, id string, status oapi.RunStatus) (*oapi.Run, error) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.GetRunWithResponse(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case answer.JSON200 == nil:
			return nil, unexpected("get-run", answer.HTTPResponse.Status, answer.Body)
		case answer.JSON200.Status == status:
			return answer.JSON200, nil
		case answer.JSON200.FinishedAt != nil || time.Now().After(deadline):
			return nil, unexpected("get-run", "instead of "+string(status), answer.Body)
		}
	}
}

func unexpected(operation, status string, body []byte) error {
	return fmt.Errorf("%s: unexpected answer: %s\n%s", operation, status, body)
}
