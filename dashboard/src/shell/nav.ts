// The menu: every page with its route, icon and scope. Pages without their scope are not in it.

import type { Icon } from '@tabler/icons-react';
import IconCalendar from '@tabler/icons-react/dist/esm/icons/IconCalendar.mjs';
import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs';
import IconFlask from '@tabler/icons-react/dist/esm/icons/IconFlask.mjs';
import IconHeartRateMonitor from '@tabler/icons-react/dist/esm/icons/IconHeartRateMonitor.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconHome2 from '@tabler/icons-react/dist/esm/icons/IconHome2.mjs';
import IconKey from '@tabler/icons-react/dist/esm/icons/IconKey.mjs';
import IconMessage2 from '@tabler/icons-react/dist/esm/icons/IconMessage2.mjs';
import IconMessages from '@tabler/icons-react/dist/esm/icons/IconMessages.mjs';
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import IconSpeakerphone from '@tabler/icons-react/dist/esm/icons/IconSpeakerphone.mjs';
import IconTemplate from '@tabler/icons-react/dist/esm/icons/IconTemplate.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';

export interface NavItem {
  /** The page's key in the texts of the shell. */
  key:
    | 'home'
    | 'messages'
    | 'conversations'
    | 'sends'
    | 'templates'
    | 'appointments'
    | 'users'
    | 'senders'
    | 'webhooks'
    | 'keys'
    | 'audit'
    | 'settings'
    | 'health'
    | 'sandbox';
  to: string;
  icon: Icon;
  /** The scopes that its data need, all of them; undefined: any. */
  scopes?: readonly string[];
  /** Pages of the room, by their route, that need other scopes. */
  pages?: Record<string, readonly string[]>;
}

interface NavGroup {
  key?: 'messaging' | 'scheduling' | 'connections' | 'account' | 'tryIt';
  items: NavItem[];
}

/** Whether this gateway runs its sandbox: the page's own file says so. */
export const hasSandbox = document.documentElement.dataset.sandbox !== undefined;

export const navGroups: NavGroup[] = [
  { items: [{ key: 'home', to: '/', icon: IconHome2 }] },
  {
    key: 'messaging',
    items: [
      { key: 'messages', to: '/messages', icon: IconMessage2, scopes: ['messages:read'] },
      { key: 'conversations', to: '/conversations', icon: IconMessages, scopes: ['conversations:read'] },
      {
        ...{ key: 'sends', to: '/sends', icon: IconSpeakerphone, scopes: ['messages:read'] },
        pages: { '/sends/new': ['messages:send', 'templates:read'] },
      },
      {
        ...{ key: 'templates', to: '/templates', icon: IconTemplate, scopes: ['templates:read'] },
        pages: {
          '/templates/new': ['templates:read', 'manage'],
          '/templates/$id/edit': ['templates:read', 'manage'],
        },
      },
    ],
  },
  {
    key: 'scheduling',
    items: [
      {
        ...{
          key: 'appointments',
          to: '/appointments',
          icon: IconCalendar,
          scopes: ['appointments:manage', 'appointments:read'],
        },
        pages: { '/appointments/new': ['appointments:book', 'appointments:read'] },
      },
      { key: 'users', to: '/users', icon: IconUsers, scopes: ['appointments:read'] },
    ],
  },
  {
    key: 'connections',
    items: [
      { key: 'senders', to: '/senders', icon: IconDeviceMobile, scopes: ['manage'] },
      { key: 'webhooks', to: '/webhooks', icon: IconWebhook, scopes: ['webhooks:manage'] },
    ],
  },
  ...(hasSandbox
    ? [
        {
          key: 'tryIt' as const,
          items: [
            { key: 'sandbox' as const, to: '/sandbox', icon: IconFlask, scopes: ['conversations:read'] },
          ],
        },
      ]
    : []),
  {
    key: 'account',
    items: [
      { key: 'keys', to: '/keys', icon: IconKey, scopes: ['manage'] },
      { key: 'audit', to: '/audit', icon: IconHistory, scopes: ['manage'] },
      { key: 'settings', to: '/settings', icon: IconSettings },
      { key: 'health', to: '/health', icon: IconHeartRateMonitor, scopes: ['operator'] },
    ],
  },
];

export const navItems: readonly NavItem[] = navGroups.flatMap(({ items }) => items);

/** Whether a session with `scopes` may open what needs `wanted`. */
export const mayOpen = (scopes: readonly string[], wanted: readonly string[] = []): boolean =>
  wanted.every((scope) => scopes.includes(scope));
