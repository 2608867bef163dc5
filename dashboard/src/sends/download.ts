// A file that the page itself makes.

/** Saves text as a CSV file on the viewer's machine, with the mark by which spreadsheets read it as UTF-8. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
