// Code to paste: the delivery as a request to one's own machine. Pure.
import type { DeliveryDetail } from '../../../client/src/generated.ts';

/** Text for a shell's single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The event as a request to a receiver on the developer's machine. Its signature is left out: only the gateway has the secret. */
export const curlOf = ({ _id, body }: DeliveryDetail): string =>
  [
    'curl -i http://127.0.0.1:3000/',
    "-H 'content-type: application/json'",
    `-H ${quoted(`webhook-id: ${_id}`)}`,
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
