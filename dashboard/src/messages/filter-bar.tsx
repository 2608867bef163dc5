// The search of the list, its states, templates and times.
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { api } from '../api/client.ts';
import { Chips } from '../design/chips.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { type MessageFilter, type Range, ranges, searchOf, statuses, typedOf, withSearch } from './filter.ts';

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
    if ('id' in found) onOpen(found.id);
    else onChange(withSearch(filter, found));
  }
  const { status, ...others } = filter;
  return (
    <div className="column">
      <div className="row wrap">
        <SearchBox inputRef={inputRef} value={typedOf(filter)} label={text('search')} onSearch={submit} />
        <TemplateChoice filter={filter} onChange={onChange} />
        <TimeChoice filter={filter} onChange={onChange} />
        {filter.sendId !== undefined && (
          <button
            type="button"
            className="chip"
            aria-pressed="true"
            onClick={() => {
              const { sendId: _sendId, ...rest } = filter;
              onChange(rest);
            }}
          >
            {text('ofOneSend')} ×
          </button>
        )}
      </div>
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

type ChoiceProps = Pick<Props, 'filter' | 'onChange'>;

function TemplateChoice({ filter, onChange }: ChoiceProps) {
  const text = textsOf('messages');
  const mayRead = useMay('templates:read');
  const { data } = useQuery({
    queryKey: ['templates', 'names'],
    queryFn: () => api.listTemplates({ limit: 100 }),
    staleTime: 60_000,
    enabled: mayRead,
  });
  if (!data) return null;
  const { templateId, ...others } = filter;
  const isListed = templateId === undefined || data.items.some(({ _id }) => _id === templateId);
  return (
    <select
      className="input filter-choice"
      aria-label={text('template')}
      value={templateId ?? ''}
      onChange={({ target: { value } }) => onChange({ ...others, ...(value ? { templateId: value } : {}) })}
    >
      <option value="">{text('anyTemplate')}</option>
      {!isListed && <option value={templateId}>{templateId}</option>}
      {data.items.map(({ _id, providerTemplateName, language }) => (
        <option key={_id} value={_id}>
          {providerTemplateName} {language}
        </option>
      ))}
    </select>
  );
}

function TimeChoice({ filter, onChange }: ChoiceProps) {
  const text = textsOf('messages');
  const { hours, ...others } = filter;
  return (
    <select
      className="input filter-choice"
      aria-label={text('time')}
      value={hours ?? ''}
      onChange={({ target: { value } }) =>
        onChange({ ...others, ...(value ? { hours: Number(value) as Range } : {}) })
      }
    >
      <option value="">{text('anyTime')}</option>
      {ranges.map((range) => (
        <option key={range} value={range}>
          {text(`last_${range}`)}
        </option>
      ))}
    </select>
  );
}
