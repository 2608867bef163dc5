// The platform's state: its objects, and the journal entries that record and restore every change.
import { join } from 'node:path';
import { type SandboxClock, sandboxClock } from '../clock.ts';
import { type Journal, openJournal } from '../journal.ts';
import { type Conversations, createConversations, type Wrote } from './conversations.ts';
import { type Accepted, createLedger, type Ledger } from './ledger.ts';
import {
  type App,
  defaultSettings,
  type Media,
  type PhoneNumber,
  type Settings,
  type Template,
  type Waba,
} from './model.ts';

/** A callback about a template, stored until the app has acknowledged it. */
export interface TemplateCallback {
  id: number;
  appId: string;
  body: unknown;
}

/** One change of the state, as stored in the journal. */
type Entry =
  | ['app', App]
  | ['waba', Waba]
  | ['number', PhoneNumber]
  | ['template', Template]
  | ['template-gone', string]
  | ['name-blocked', string, number]
  | ['media', Media]
  | ['media-gone', string]
  | ['handle', string]
  | ['settings', Partial<Settings>]
  | ['ahead', number]
  | ['message', Accepted]
  | ['done', number, number, number]
  | ['ledger-cleared']
  | ['wrote', Wrote]
  /** Numbers whose earlier messages phones no longer show, and when that was. */
  | ['phones-cleared', string[], number]
  /** A person of a business account, and whether they stopped its marketing messages. */
  | ['preference', string, boolean]
  | ['callback', TemplateCallback]
  | ['callback-done', number];

export interface State {
  apps: Map<string, App>;
  /** Valid tokens only. */
  tokens: Map<string, App>;
  wabas: Map<string, Waba>;
  numbers: Map<string, PhoneNumber>;
  templates: Map<string, Template>;
  /** By business account, name and language. */
  templateByName: Map<string, Template>;
  /** Until when no template can be created with that business account, name and language. */
  blockedNames: Map<string, number>;
  media: Map<string, Media>;
  /** Handles of completed resumable uploads. */
  handles: Set<string>;
  /** Business account and person, for those who stopped marketing messages. */
  stopped: Set<string>;
  /** Template callbacks that are not acknowledged yet. */
  callbacks: Map<number, TemplateCallback>;
  conversations: Conversations;
  /** When the phones with messages of a number were cleared, by the id of the number. */
  phonesClearedAt: Map<string, number>;
  settings: Settings;
  /** Those of the start. */
  initialSettings: Settings;
  clock: SandboxClock;
  ledger: Ledger;
  journal: Journal;
  /** Applies a change and appends it to the journal; `written` runs once it is in the file. */
  record(entry: Entry, written?: () => void): void;
}

export function templateKey(wabaId: string, name: string, language: string): string {
  return `${wabaId} ${name} ${language}`;
}

/** Opens the state stored in `dir` (null: in memory only). */
export function openState(dir: string | null, given: Partial<Settings> = {}): State {
  const settings: Settings = { ...defaultSettings, ...given };
  const state: Omit<State, 'journal' | 'record'> = {
    apps: new Map(),
    tokens: new Map(),
    wabas: new Map(),
    numbers: new Map(),
    templates: new Map(),
    templateByName: new Map(),
    blockedNames: new Map(),
    media: new Map(),
    handles: new Set(),
    stopped: new Set(),
    callbacks: new Map(),
    conversations: createConversations(),
    phonesClearedAt: new Map(),
    settings,
    initialSettings: { ...settings },
    clock: sandboxClock(),
    ledger: createLedger(settings),
  };
  const journal = openJournal<Entry>({
    file: dir === null ? null : join(dir, 'cloud-api.journal'),
    restore: (entry) => apply(state, entry),
    snapshot: () => snapshot(state),
  });
  return Object.assign(state, {
    journal,
    record(entry: Entry, written?: () => void) {
      apply(state, entry);
      journal.append(entry, written);
    },
  });
}

type Plain = Omit<State, 'journal' | 'record'>;

function apply(state: Plain, entry: Entry): void {
  switch (entry[0]) {
    case 'app':
      applyApp(state, entry[1]);
      return;
    case 'waba':
      state.wabas.set(entry[1].id, entry[1]);
      return;
    case 'number':
      state.numbers.set(entry[1].id, entry[1]);
      return;
    case 'template':
      state.templates.set(entry[1].id, entry[1]);
      state.templateByName.set(templateKey(entry[1].wabaId, entry[1].name, entry[1].language), entry[1]);
      return;
    case 'template-gone':
      dropTemplate(state, entry[1]);
      return;
    case 'name-blocked':
      state.blockedNames.set(entry[1], entry[2]);
      return;
    case 'media':
      state.media.set(entry[1].id, entry[1]);
      return;
    case 'media-gone':
      state.media.delete(entry[1]);
      return;
    case 'handle':
      state.handles.add(entry[1]);
      return;
    case 'settings':
      Object.assign(state.settings, entry[1]);
      return;
    case 'ahead':
      state.clock.aheadMs = entry[1];
      return;
    case 'message':
      state.ledger.add(entry[1]);
      return;
    case 'done':
      state.ledger.finishStep(entry[1], entry[2], entry[3]);
      return;
    case 'ledger-cleared':
      state.ledger.clear();
      return;
    case 'wrote':
      state.conversations.add(entry[1]);
      return;
    case 'phones-cleared':
      for (const id of entry[1]) state.phonesClearedAt.set(id, entry[2]);
      return;
    case 'preference':
      if (entry[2]) state.stopped.add(entry[1]);
      else state.stopped.delete(entry[1]);
      return;
    case 'callback':
      state.callbacks.set(entry[1].id, entry[1]);
      return;
    case 'callback-done':
      state.callbacks.delete(entry[1]);
  }
}

function applyApp(state: Plain, app: App): void {
  for (const [token, owner] of state.tokens) if (owner.id === app.id) state.tokens.delete(token);
  state.apps.set(app.id, app);
  for (const token of app.tokens) state.tokens.set(token, app);
}

function dropTemplate(state: Plain, id: string): void {
  const template = state.templates.get(id);
  if (!template) return;
  state.templates.delete(id);
  state.templateByName.delete(templateKey(template.wabaId, template.name, template.language));
}

function* snapshot(state: Plain): Iterable<Entry> {
  yield ['settings', state.settings];
  yield ['ahead', state.clock.aheadMs];
  for (const app of state.apps.values()) yield ['app', app];
  for (const waba of state.wabas.values()) yield ['waba', waba];
  for (const number of state.numbers.values()) yield ['number', number];
  for (const template of state.templates.values()) yield ['template', template];
  for (const [key, until] of state.blockedNames) yield ['name-blocked', key, until];
  for (const media of state.media.values()) yield ['media', media];
  for (const handle of state.handles) yield ['handle', handle];
  for (const message of state.ledger.kept()) yield ['message', message];
  for (const wrote of state.conversations.all()) yield ['wrote', wrote];
  for (const [id, at] of state.phonesClearedAt) yield ['phones-cleared', [id], at];
  for (const key of state.stopped) yield ['preference', key, true];
  for (const callback of state.callbacks.values()) yield ['callback', callback];
}
