// What the server does with connections, whatever is requested on them.
import { closeSilent } from './close-silent.ts';
import { closeUnread } from './close-unread.ts';
import { endConnectionsOnDrain } from './draining.ts';
import { closeStreamsOfHead } from './head-requests.ts';
import { ignoreExpectations } from './malformed-requests.ts';
import { handleInOrder } from './pipelined-requests.ts';
import type { Server } from './request.ts';

/** Adds the rules of connections. Call it before anything else that handles requests. */
export function connectionRules(server: Server, isDraining: () => boolean): void {
  handleInOrder(server);
  endConnectionsOnDrain(server, isDraining);
  closeSilent(server);
  closeUnread(server);
  closeStreamsOfHead(server);
  ignoreExpectations(server);
}
