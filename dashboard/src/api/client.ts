// The gateway's client, with the session's cookie instead of a key.
import { ChatbotGateway } from '../../../client/src/client.ts';

/** Every operation of the API. Repeats are decided by the queries, not here. */
export const api = new ChatbotGateway({
  baseUrl: '',
  headers: { 'X-Requested-With': 'chatbot-gateway' },
  retries: 0,
  timeoutMs: 30_000,
});
