// Goes to a page, or to what is found by a name, phone, id or address. A dialog with a search and a list that the arrows move through.
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Dialog } from '../design/dialog.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import type { Entry } from './finders.ts';
import { type Group, useEntries } from './use-entries.ts';
import './palette.css';

export function Palette({ onClose }: { onClose: () => void }) {
  const text = textsOf('palette');
  const id = useId();
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, choose] = useState(0);
  const { groups, isSearching, error } = useEntries(typed);
  const entries = groups.flatMap((group) => group.entries);
  const current = Math.min(chosen, entries.length - 1);

  /** Closing the dialog gives the focus back. */
  const close = () => dialog.current?.close();
  const open = ({ href }: Entry) => {
    close();
    router.history.push(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = moves[event.key];
    const entry = entries[current];
    if (step !== undefined && entries.length > 0) choose((current + step + entries.length) % entries.length);
    else if (event.key === 'Enter' && entry) open(entry);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog element={dialog} className="palette" label={text('title')} onClose={onClose}>
      <label className="palette-search">
        <IconSearch size={16} aria-hidden />
        <input
          role="combobox"
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          {...(entries.length > 0 ? { 'aria-activedescendant': `${id}-${current}` } : {})}
          aria-label={text('title')}
          placeholder={text('hint')}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className="wide-only">Esc</kbd>
      </label>
      {error !== undefined && <ErrorNote error={error} />}
      <EntryList id={id} groups={groups} current={current} onOpen={open} onPoint={choose} />
      <p className="palette-note note small" role="status">
        {isSearching
          ? text('searching')
          : entries.length === 0
            ? text('none')
            : text('count', { count: entries.length })}
      </p>
    </Dialog>
  );
}

interface ListProps {
  id: string;
  groups: Group[];
  current: number;
  onOpen: (entry: Entry) => void;
  onPoint: (index: number) => void;
}

function EntryList({ id, groups, current, onOpen, onPoint }: ListProps) {
  const text = textsOf('palette');
  let index = -1;
  return (
    <div
      id={id}
      role="listbox"
      aria-label={text('title')}
      className="palette-list"
      hidden={groups.length === 0}
    >
      {groups.map(({ kind, entries }) => (
        <fieldset key={kind} className="palette-group" aria-label={text(kind)}>
          <div className="palette-kind" aria-hidden="true">
            {text(kind)}
          </div>
          {entries.map((entry) => {
            index += 1;
            const at = index;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the search has the focus, and its keys open the chosen entry
              <div
                key={entry.href}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === current}
                tabIndex={-1}
                className="palette-entry"
                ref={(element) => {
                  if (at === current) element?.scrollIntoView({ block: 'nearest' });
                }}
                onClick={() => onOpen(entry)}
                onMouseMove={() => onPoint(at)}
              >
                <span className="cut" dir="auto">
                  {kind === 'messages' && entry.href.includes('?')
                    ? text('allMessages', { typed: entry.label })
                    : entry.label}
                </span>
                {entry.note && (
                  <span className="note small cut end" dir="auto">
                    {entry.note}
                  </span>
                )}
              </div>
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}
