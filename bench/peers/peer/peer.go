// Package peer is what the Go peers share: the protocol by which the driver gives
// them work, the tool, and a plain model client for those that bring none.
//
// The driver writes one Job a line to a peer's standard input and reads one Report
// a line from its standard output. MODEL_URL is the base URL of the model server,
// PEER_DATA an empty directory.
package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Job asks for that many runs, that many at once.
type Job struct {
	Runs   int `json:"runs"`
	AtOnce int `json:"at_once"`
}

// Report says what a job did: the final text of each run and how often the tool ran.
type Report struct {
	Texts     []string `json:"texts"`
	ToolCalls int      `json:"tool_calls"`
	Error     string   `json:"error,omitempty"`
}

// Prompt is the user's message of each run, Tool the only tool.
const (
	Prompt          = "Calculate three things."
	Tool            = "calculator"
	ToolDescription = "Calculates one operation on two whole numbers."
)

// ToolSchema is the JSON schema of the tool's arguments.
var ToolSchema = json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string",` +
	`"description":"what to calculate, for example 2*3"}},"required":["expression"]}`)

var toolCalls atomic.Int64

// Calculate runs the tool with the arguments that the model sent.
func Calculate(arguments string) (string, error) {
	var args struct {
		Expression string `json:"expression"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return "", err
	}
	i := strings.IndexAny(args.Expression, "+-*")
	if i < 0 {
		return "", fmt.Errorf("no operation in %q", args.Expression)
	}
	a, err := strconv.Atoi(args.Expression[:i])
	if err != nil {
		return "", err
	}
	b, err := strconv.Atoi(args.Expression[i+1:])
	if err != nil {
		return "", err
	}
	toolCalls.Add(1)
	switch args.Expression[i] {
	case '+':
		return strconv.Itoa(a + b), nil
	case '-':
		return strconv.Itoa(a - b), nil
	}
	return strconv.Itoa(a * b), nil
}

// ModelURL is the base URL of the model server.
func ModelURL() string { return os.Getenv("MODEL_URL") }

// Serve does the driver's jobs with run until standard input ends.
func Serve(run func(context.Context) (string, error)) {
	transport := http.DefaultTransport.(*http.Transport)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1024 // no peer pays for new connections
	jobs, reports := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var job Job
		if err := jobs.Decode(&job); err == io.EOF {
			return
		} else if err != nil {
			Exit(err)
		}
		toolCalls.Store(0)
		report := Report{}
		texts, err := Do(job, run)
		if err != nil {
			report.Error = err.Error()
		}
		report.Texts, report.ToolCalls = texts, int(toolCalls.Load())
		if err := reports.Encode(report); err != nil {
			Exit(err)
		}
	}
}

// Do does the runs of a job and gives their final texts.
func Do(job Job, run func(context.Context) (string, error)) ([]string, error) {
	texts := make([]string, job.Runs)
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(job.AtOnce)
	for i := range texts {
		group.Go(func() (err error) {
			texts[i], err = run(ctx)
			return err
		})
	}
	return texts, group.Wait()
}

// Exit ends the process with an error.
func Exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
