/** Files that the browser keeps. */

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  saveFrom(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** From an address: the browser downloads it, and shows how far it is. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

export function savePicture(picture: HTMLCanvasElement, name: string): Promise<void> {
  return new Promise((done, failed) => {
    picture.toBlob((blob) => {
      if (blob === null) {
        failed(new Error("the browser made no picture of it"));
        return;
      }
      saveBlob(blob, `${name}.png`);
      done();
    }, "image/png");
  });
}

/** Text as the name of a file: `"run 7: a/b"` → `"run-7-a-b"`. */
export function fileName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "") || "trace";
}
