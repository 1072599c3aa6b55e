package browser

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// chooserTime is how long a file chooser may take to open.
const chooserTime = 5 * time.Second

// upload gives files of the project to a file field, or to what opens a file chooser.
func (o *operation) upload(ctx context.Context) error {
	if len(o.action.Files) == 0 {
		return tools.Errorf(tools.CodeInvalidArguments, "op upload needs files: their paths in the project")
	}
	node, err := o.tab.node(o.action.Ref)
	if err != nil {
		return err
	}
	paths, err := o.handOver(ctx)
	if err != nil {
		return err
	}
	return o.tab.do(ctx, func(ctx context.Context) error {
		f, _, err := o.tab.field(ctx, node)
		if err != nil {
			return err
		}
		if f.tag != "input" || f.kind != "file" {
			if node, err = o.tab.choose(ctx, node); err != nil {
				return err
			}
		}
		_, err = cdp.Call(ctx, o.tab.page, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{Files: paths, BackendNodeID: node})
		return err
	})
}

// choose clicks an element and returns the file field whose chooser that opens.
func (t *tab) choose(ctx context.Context, node cdp.BackendNodeID) (cdp.BackendNodeID, error) {
	opened := make(chan cdp.BackendNodeID, 1)
	t.change(func() { t.choosers = opened })
	defer t.change(func() { t.choosers = nil })
	if _, err := cdp.Call(ctx, t.page, page.SetInterceptFileChooserDialog,
		page.SetInterceptFileChooserDialogParams{Enabled: true}); err != nil {
		return 0, err
	}
	if err := t.click(ctx, node); err != nil {
		return 0, err
	}
	select {
	case chooser := <-opened:
		return chooser, nil
	case <-time.After(chooserTime):
		return 0, tools.Errorf(tools.CodeInvalidArguments, "the element takes no files: name the file field, or what "+
			"opens the choice of a file")
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// maxUploads is how many files one call may upload.
const maxUploads = 20

// handOver copies files of the project to where Chromium finds them.
func (o *operation) handOver(ctx context.Context) (inside []string, err error) {
	files, err := openFiles(ctx, o.call)
	if err != nil {
		return nil, err
	}
	if len(o.action.Files) > maxUploads {
		return nil, tools.Errorf(tools.CodeInvalidArguments, "at most %d files can be uploaded at once", maxUploads)
	}
	for _, one := range o.action.Files {
		name, err := o.handOne(ctx, files, one)
		if err != nil {
			return nil, err
		}
		inside = append(inside, insideHome+"/"+name)
	}
	return inside, nil
}

func (o *operation) handOne(ctx context.Context, files workspace.Filesystem, from string) (name string, err error) {
	source, entry, err := files.Download(ctx, from)
	if err != nil {
		return "", err
	}
	defer source.Close()
	if entry.Size > o.settings.Download {
		return "", tools.Errorf(codeTooLarge, "%s is larger than %d bytes (workspace.max_file_size)", from,
			o.settings.Download)
	}
	o.session.mu.Lock()
	o.session.nextFiles++
	dir := fmt.Sprintf("%s-%d", o.session.context, o.session.nextFiles)
	o.session.mu.Unlock()
	if err := o.session.engine.files.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("hand a file to the browser: %w", err)
	}
	name = dir + "/" + safeName(entry.Name)
	copied, err := o.session.engine.files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("hand a file to the browser: %w", err)
	}
	_, err = io.Copy(copied, io.LimitReader(source, o.settings.Download))
	if closed := copied.Close(); err == nil {
		err = closed
	}
	return name, err
}
