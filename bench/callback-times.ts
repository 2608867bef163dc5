// A preload of the sandbox that records when each status callback is sent, without a change to the sandbox.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { nowMs, serveParent } from './child.ts';

/** Message id → when `sent`, `delivered` and `read` were posted, in milliseconds of the machine's clock. */
let times = new Map<string, [number, number, number]>();
let ending = '';

const stageOf: Record<string, 0 | 1 | 2> = { s: 0, d: 1, r: 2 };
const idMark = '"biz_opaque_callback_data":"';
const statusMark = '"status":"';
const idLength = 36;

function note(message: unknown): void {
  const { body: bytes } = (message as { request: { body: unknown } }).request;
  if (!Buffer.isBuffer(bytes)) return;
  const body = bytes.toString('latin1');
  const at = body.indexOf(idMark);
  if (at < 0) return;
  const id = body.slice(at + idMark.length, at + idMark.length + idLength);
  if (!id.endsWith(ending)) return;
  const stage = stageOf[body[body.indexOf(statusMark) + statusMark.length] ?? ''];
  if (stage === undefined) return;
  const known = times.get(id) ?? [0, 0, 0];
  if (known[stage] === 0) known[stage] = nowMs();
  times.set(id, known);
}

const channel = 'undici:client:sendHeaders';

serveParent({
  /** Starts to record callbacks of messages whose id has this ending; clears earlier records. */
  note: (input: { ending: string }) => {
    times = new Map();
    ending = input.ending;
    unsubscribe(channel, note);
    subscribe(channel, note);
  },
  times: () => times,
});
