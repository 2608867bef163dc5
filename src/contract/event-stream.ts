// The event stream on the wire.

/** The response of the stream: Server-Sent Events. */
export const eventStream = {
  description: 'Server-Sent Events.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};
