package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"nanoclaw/internal/tools"
)

// waitTime is the longest time that a call waits for something.
const waitTime = 30 * time.Second

// wait waits for a text on the page, or for a time.
func (o *operation) wait(ctx context.Context) error {
	seconds := time.Duration(o.action.Seconds) * time.Second
	if o.action.Text == "" {
		if seconds <= 0 {
			seconds = 2 * time.Second
		}
		return sleep(ctx, min(seconds, waitTime))
	}
	if seconds <= 0 {
		seconds = 10 * time.Second
	}
	end := time.Now().Add(min(seconds, waitTime))
	for {
		text, _, err := o.tab.describe(ctx, 0, maxSnapshot)
		if err != nil {
			return err
		}
		if strings.Contains(strings.ToLower(text), strings.ToLower(o.action.Text)) {
			return nil
		}
		if time.Now().After(end) {
			return tools.Errorf(tools.CodeTimeout, "%q did not appear within %v: op snapshot shows what is there",
				shorten(o.action.Text, 100), min(seconds, waitTime))
		}
		if err := sleep(ctx, 300*time.Millisecond); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Limits of screenshots.
const (
	maxScreenshotHeight = 6000    // pixels of a whole page
	largePNG            = 1 << 20 // bytes; a larger picture is a JPEG
)

func (o *operation) screenshot(ctx context.Context) error {
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
	return o.tab.do(ctx, func(ctx context.Context) error {
		if o.action.FullPage {
			metrics, err := cdp.Call(ctx, o.tab.page, page.GetLayoutMetrics, cdp.Empty{})
			if err != nil {
				return err
			}
			size := metrics.CSSContentSize
			params.CaptureBeyondViewport = ptr(true)
			params.Clip = &page.Viewport{Width: min(size.Width, 2*viewportWidth),
				Height: min(size.Height, maxScreenshotHeight), Scale: 1}
			if size.Height > maxScreenshotHeight {
				o.result.Notes = append(o.result.Notes, fmt.Sprintf("the page is %.0f pixels high; the first %d are shown",
					size.Height, maxScreenshotHeight))
			}
		}
		answer, err := cdp.Call(ctx, o.tab.page, page.CaptureScreenshot, params)
		if err == nil && len(answer.Data) > largePNG {
			params.Format, params.Quality = page.CaptureScreenshotFormatJpeg, ptr(int64(80))
			answer, err = cdp.Call(ctx, o.tab.page, page.CaptureScreenshot, params)
		}
		o.result.Screenshot = answer.Data
		return err
	})
}
