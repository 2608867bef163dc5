// Every route with its page and the texts that the page needs. A page's code and texts load together, when it is opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
} from '@tanstack/react-router';
import { GatewayConnectionError } from '../../client/src/errors.ts';
import { hasSandbox } from './shell/nav.ts';
import { NotFound, RouteError } from './shell/route-error.tsx';
import { Shell } from './shell/shell.tsx';
import { loadTexts, type Room } from './text/texts.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: RouteError });

/** Loads all of a page, so that one that cannot be loaded is a failure within the frame. */
async function loadPage(rooms: Room[], load: () => Promise<unknown>): Promise<void> {
  try {
    await Promise.all([loadTexts(...rooms), load()]);
  } catch (cause) {
    throw new GatewayConnectionError('the page could not be loaded', { method: 'GET', cause });
  }
}

const components = new Map<string, ReturnType<typeof lazyRouteComponent>>();

/** A page's component, one for all of its paths: what it shows stays when the address goes from one to another. */
function componentOf<Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  const component = components.get(name) ?? lazyRouteComponent(load, name);
  components.set(name, component);
  return component;
}

/** A page: its path, its rooms of texts, and its module, whose export is `component`. */
function page<Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  rooms: Room[],
  load: () => Promise<Module>,
  component: keyof Module & string,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search: Record<string, unknown>) => search,
    beforeLoad: () => {
      if (path === '/sandbox' && !hasSandbox) throw notFound();
    },
    loader: () => loadPage(rooms, load),
    errorComponent: RouteError,
    component: componentOf(load, component),
  });
}

const editor = () => import('./templates/editor/editor.tsx');
const editorRooms: Room[] = ['templates', 'files', 'editor'];

const conversations = () => import('./conversations/conversations.tsx');
const conversationRooms: Room[] = ['conversations', 'templates', 'files'];

const routeTree = root.addChildren([
  page('/', ['home'], () => import('./home/home.tsx'), 'Home'),
  page('/messages', ['messages'], () => import('./messages/messages.tsx'), 'Messages'),
  page('/messages/$id', ['messages'], () => import('./messages/message.tsx'), 'Message'),
  page('/templates', ['templates'], () => import('./templates/templates.tsx'), 'Templates'),
  page('/templates/new', editorRooms, editor, 'NewTemplate'),
  page('/templates/$id', ['templates', 'files'], () => import('./templates/template.tsx'), 'Template'),
  page('/templates/$id/edit', editorRooms, editor, 'EditTemplate'),
  page('/conversations', conversationRooms, conversations, 'Conversations'),
  page('/conversations/$id', conversationRooms, conversations, 'Conversations'),
  page('/sends', ['sends'], () => import('./sends/sends.tsx'), 'Sends'),
  page('/sends/new', ['sends', 'templates'], () => import('./sends/new-send.tsx'), 'NewSend'),
  page('/sends/$id', ['sends', 'templates', 'files'], () => import('./sends/send.tsx'), 'Send'),
  page('/appointments', ['appointments'], () => import('./appointments/appointments.tsx'), 'Appointments'),
  page('/appointments/new', ['appointments'], () => import('./appointments/new-booking.tsx'), 'NewBooking'),
  page('/users', ['users'], () => import('./users/users.tsx'), 'Users'),
  page('/users/$id', ['users', 'appointments'], () => import('./users/member.tsx'), 'Member'),
  page('/users/$id/$tab', ['users', 'appointments'], () => import('./users/member.tsx'), 'Member'),
  page('/webhooks', ['webhooks'], () => import('./webhooks/webhooks.tsx'), 'Webhooks'),
  page('/webhooks/endpoints/$id', ['webhooks'], () => import('./webhooks/endpoint.tsx'), 'Endpoint'),
  page('/webhooks/deliveries', ['webhooks'], () => import('./webhooks/deliveries.tsx'), 'Deliveries'),
  page('/webhooks/deliveries/$id', ['webhooks'], () => import('./webhooks/delivery.tsx'), 'Delivery'),
  page('/senders', ['senders'], () => import('./senders/senders.tsx'), 'Senders'),
  page('/senders/connect', ['senders'], () => import('./senders/connect.tsx'), 'Connect'),
  page('/audit', ['audit'], () => import('./audit/audit.tsx'), 'Audit'),
  page('/health', ['health'], () => import('./operator/health.tsx'), 'Health'),
  page('/settings', ['settings'], () => import('./settings/settings.tsx'), 'Settings'),
  page('/sandbox', ['sandbox', 'templates'], () => import('./sandbox/sandbox.tsx'), 'Sandbox'),
  page('/keys', ['keys'], () => import('./keys/keys.tsx'), 'Keys'),
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true });

/** Begins to load the code and the texts of the page at this address, before it is known who is signed in. */
export function preloadPage(): void {
  // a page that cannot be loaded says so when it is opened
  void router.preloadRoute({ to: location.pathname }).catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** True if the entry before is the list of people. */
    isFromPeople?: boolean;
  }
}
