// The search and the states of the list.
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import type { RefObject } from 'react';
import { wordOf } from '../design/state-badge.tsx';
import { textsOf } from '../text/texts.ts';
import { type MessageFilter, searchOf, statuses, typedOf } from './filter.ts';

interface Props {
  filter: MessageFilter;
  onChange: (filter: MessageFilter) => void;
  /** Opens the message whose id was typed. */
  onOpen: (id: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

export function FilterBar({ filter, onChange, onOpen, inputRef }: Props) {
  const text = textsOf('messages');
  const typed = typedOf(filter);

  function submit(): void {
    const found = searchOf(inputRef.current?.value ?? '');
    if ('id' in found) {
      onOpen(found.id);
      return;
    }
    const { phone: _phone, messageId: _messageId, ...rest } = filter;
    onChange({ ...rest, ...found });
  }
  const { status, ...others } = filter;
  return (
    <div className="column">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label className="search">
          <IconSearch size={15} aria-hidden />
          <input
            // a filter from the address replaces what was typed
            key={typed}
            ref={inputRef}
            defaultValue={typed}
            placeholder={text('search')}
            aria-label={text('search')}
          />
          <kbd className="wide-only">/</kbd>
        </label>
      </form>
      <fieldset className="chips" aria-label={text('state')}>
        <button
          type="button"
          className="chip"
          aria-pressed={status === undefined}
          onClick={() => onChange(others)}
        >
          {text('all')}
        </button>
        {statuses.map((one) => (
          <button
            key={one}
            type="button"
            className="chip"
            aria-pressed={status === one}
            onClick={() => onChange({ ...others, status: one })}
          >
            {wordOf(one)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
