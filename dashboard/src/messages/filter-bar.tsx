// The search and the states of the list.
import type { RefObject } from 'react';
import { Chips } from '../design/chips.tsx';
import { SearchBox } from '../design/search-box.tsx';
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
  function submit(typed: string): void {
    const found = searchOf(typed);
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
      <SearchBox inputRef={inputRef} value={typedOf(filter)} label={text('search')} onSearch={submit} />
      <Chips
        label={text('state')}
        allLabel={text('all')}
        values={statuses}
        chosen={status}
        wordOf={wordOf}
        onChoose={(one) => onChange({ ...others, ...(one ? { status: one } : {}) })}
      />
    </div>
  );
}
