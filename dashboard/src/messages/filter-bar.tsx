// The search of the list, its states, templates, numbers, kinds and times.
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { api } from '../api/client.ts';
import { Chips } from '../design/chips.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import {
  exportOf,
  kinds,
  type MessageFilter,
  type Range,
  ranges,
  searchOf,
  statuses,
  typedOf,
  withSearch,
} from './filter.ts';

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
        <SenderChoice filter={filter} onChange={onChange} />
        <KindChoice filter={filter} onChange={onChange} />
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
        <a className="row tight end nowrap" href={exportOf(filter, Date.now())} download>
          <IconDownload size={14} aria-hidden />
          {text('export', { range: text(filter.hours === undefined ? 'anyTime' : `last_${filter.hours}`) })}
        </a>
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

/** From which of several numbers. */
function SenderChoice({ filter, onChange }: ChoiceProps) {
  const text = textsOf('messages');
  const { data } = useQuery({
    queryKey: ['senders'],
    queryFn: () => api.listSenders({ limit: 100 }),
    enabled: useMay('manage'),
    staleTime: 60_000,
  });
  const { senderId, ...others } = filter;
  if (!data || (data.items.length < 2 && senderId === undefined)) return null;
  return (
    <select
      className="input filter-choice"
      aria-label={text('number')}
      value={senderId ?? ''}
      onChange={({ target: { value } }) => onChange({ ...others, ...(value ? { senderId: value } : {}) })}
    >
      <option value="">{text('anyNumber')}</option>
      {data.items.map(({ _id, name }) => (
        <option key={_id} value={_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function KindChoice({ filter, onChange }: ChoiceProps) {
  const text = textsOf('messages');
  const { kind, ...others } = filter;
  return (
    <select
      className="input filter-choice"
      aria-label={text('kind')}
      value={kind ?? ''}
      onChange={({ target: { value } }) => {
        const chosen = kinds.find((one) => one === value);
        onChange({ ...others, ...(chosen ? { kind: chosen } : {}) });
      }}
    >
      <option value="">{text('anyKind')}</option>
      {kinds.map((one) => (
        <option key={one} value={one}>
          {text(`kind_${one}`)}
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
