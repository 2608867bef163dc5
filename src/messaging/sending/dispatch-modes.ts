// How the messages of a request are dispatched: called right after the commit, within about a second, or by any process later.
import type { Dispatcher } from './dispatcher.ts';
import type { LeasedMessage } from './message.ts';
import { storedFilesOf } from './message-media.ts';
import type { NewMessage } from './new-sends-store.ts';
import type { ResolvedSender } from './sends-store.ts';

/** A message that is about to be stored. */
export interface Dispatchable {
  mediaId: string | null;
  content: LeasedMessage['content'];
  dispatchMode: NewMessage['dispatchMode'];
}

/** Decides which messages this process calls right after the commit if the pace allows, which within about a second, and which it leaves queued. */
export async function chooseDispatchModes(
  { dispatcher }: { dispatcher: Pick<Dispatcher, 'reserveCalls' | 'capacity'> },
  messages: readonly Dispatchable[],
  sender: Pick<ResolvedSender, 'id' | 'messages_per_second'>,
  priority: number,
): Promise<void> {
  // a media file must be registered first, which can take as long as an upload
  const canReserve = messages.every(({ mediaId, content }) => storedFilesOf(mediaId, content).length === 0);
  const reserved = canReserve ? await dispatcher.reserveCalls(sender.id, messages.length) : 0;
  const capacity = reserved + dispatcher.capacity(sender.id, sender.messages_per_second, priority);
  messages.forEach((message, index) => {
    message.dispatchMode = index < reserved ? 'dispatching' : index < capacity ? 'leased' : 'queued';
  });
}
