// The page that a person sees on coming back from the provider's consent page. Pure.

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

/** A whole HTML page that says what happened, with a link to try again where that makes sense. */
export function consentPage(content: {
  done: boolean;
  title: string;
  text: string;
  retryUrl?: string | undefined;
}): string {
  const title = escapeHtml(content.title);
  const retry =
    content.retryUrl === undefined ? '' : `<p><a href="${escapeHtml(content.retryUrl)}">Try again</a></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center; background: #f4f5f7; color: #1c2430; }
main { max-width: 28rem; margin: 1rem; padding: 2rem; background: #fff; border-radius: 12px; border-top: 6px solid ${content.done ? '#1a7f4b' : '#b3261e'}; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p { margin: 0; }
p + p { margin-top: 1rem; }
</style>
</head>
<body><main><h1>${title}</h1><p>${escapeHtml(content.text)}</p>${retry}</main></body>
</html>
`;
}
