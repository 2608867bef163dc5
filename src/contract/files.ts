// Responses that are files, in the document.

/** A file of CSV. */
export const csvFile = (description: string) => ({
  description,
  content: { 'text/csv': { schema: { type: 'string' } } },
});

/** A file that has a type of its own. */
export const anyFile = (description: string) => ({
  description,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
});
