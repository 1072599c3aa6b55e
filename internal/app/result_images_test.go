package app

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TS7 issue 10: images of results are kept with their real kind; what a provider would
// refuse, or what has no room, is left out with the reason.
func TestImagesOfResultsAreKeptWhereModelsCanSeeThem(t *testing.T) {
	t.Parallel()
	small := pngOf(t, 3, 2)
	padded := append(pngOf(t, 3, 2), make([]byte, 2<<20)...) // valid, and large
	c := config.Default()
	c.ToolDefaults.ImagesLimit = 5 * config.MiB
	call, a := toolServices(t, c)
	call.Tool = "mcp__a__shot"
	keeper, err := services.Get(call.Services, tools.ImageStoreKey)
	if err != nil {
		t.Fatal(err)
	}
	kept := keeper.KeepImages(t.Context(), call, [][]byte{
		small, []byte("no image at all"), small[:20], pngOf(t, 8001, 1), make([]byte, 0),
		append(padded, make([]byte, 2<<20)...), padded, padded, padded, small,
	})
	for i, want := range []string{"", "no PNG", "damaged", "8001 × 1", "no PNG", "image_limit", "", "", "images_limit",
		""} {
		if got := kept[i].Omitted; got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("image %d: %q, want %q", i+1, got, want)
		}
	}
	upload, err := a.Store.GetUpload(t.Context(), models.LocalUserID, kept[0].UploadID)
	if err != nil || !bytes.Equal(upload.Data, small) || upload.Name != "mcp__a__shot-1.png" ||
		upload.ContentType != "image/png" {
		t.Errorf("kept %+v, %v", upload, err)
	}
}
