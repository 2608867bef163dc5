// How the messages of a request are dispatched: called right after the commit, within about a second, or by any process later.

import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { findRegistered, type RegisterDeps } from '../media/register.ts';
import { type PlatformMediaIds, storedFilesOf } from '../messages/media.ts';
import type { LeasedMessage } from '../messages/message.ts';
import type { NewMessage } from './new-sends-store.ts';
import type { ResolvedSender } from './resolve-template-store.ts';
import { smallMax } from './send-steps.ts';

/** A message that is about to be stored. */
export interface Dispatchable {
  mediaId: string | null;
  content: LeasedMessage['content'];
  dispatchMode: NewMessage['dispatchMode'];
}

export interface DispatchModesDeps extends Pick<RegisterDeps, 'db' | 'clock' | 'knownRegistrations'> {
  dispatcher: Pick<Dispatcher, 'reserveCalls' | 'capacity'>;
}

/**
 * Decides which messages this process calls right after the commit if the pace allows, which within about a second, and which it
 * leaves queued. Returns the platform's ids of the files of those it calls right after.
 */
export async function chooseDispatchModes(
  deps: DispatchModesDeps,
  messages: readonly Dispatchable[],
  sender: Pick<ResolvedSender, 'id' | 'messages_per_second'>,
  priority: number,
): Promise<PlatformMediaIds> {
  const files = [...new Set(messages.flatMap(({ mediaId, content }) => storedFilesOf(mediaId, content)))];
  // a file that must be registered first can take as long as an upload
  const registered: PlatformMediaIds | undefined =
    messages.length > smallMax
      ? undefined
      : await (files.length === 0
          ? new Map()
          : findRegistered(deps, { mediaIds: files, senderId: sender.id }));
  const reserved = registered ? await deps.dispatcher.reserveCalls(sender.id, messages.length) : 0;
  const capacity = reserved + deps.dispatcher.capacity(sender.id, sender.messages_per_second, priority);
  messages.forEach((message, index) => {
    message.dispatchMode = index < reserved ? 'dispatching' : index < capacity ? 'leased' : 'queued';
  });
  return registered ?? new Map();
}
