// The search of the list, its states, templates, numbers, kinds and times.
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { sendersQuery } from '../api/senders.ts';
import { templateNamesQuery } from '../api/templates.ts';
import { Chips } from '../design/chips.tsx';
import { FilterSelect } from '../design/filter-select.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import {
  exportOf,
  filterOf,
  kinds,
  type MessageFilter,
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
  const change: ChoiceProps['change'] = (next) => onChange(filterOf({ ...filter, ...next }));
  return (
    <div className="column">
      <div className="row wrap">
        <SearchBox inputRef={inputRef} value={typedOf(filter)} label={text('search')} onSearch={submit} />
        <TemplateChoice filter={filter} change={change} />
        <SenderChoice filter={filter} change={change} />
        <FilterSelect
          label={text('kind')}
          anyLabel={text('anyKind')}
          options={kinds.map((one) => [one, text(`kind_${one}`)])}
          chosen={filter.kind}
          onChoose={(kind) => change({ kind })}
        />
        <FilterSelect
          label={text('time')}
          anyLabel={text('anyTime')}
          options={ranges.map((hours) => [hours, text(`last_${hours}`)])}
          chosen={filter.hours}
          onChoose={(hours) => change({ hours })}
        />
        {filter.sendId !== undefined && (
          <button
            type="button"
            className="chip"
            aria-pressed="true"
            onClick={() => change({ sendId: undefined })}
          >
            {text('ofOneSend')} ×
          </button>
        )}
        <a className="row tight end nowrap" href={exportOf(filter, Date.now(), zone)} download>
          <IconDownload size={14} aria-hidden />
          {text('export', { range: text(filter.hours === undefined ? 'anyTime' : `last_${filter.hours}`) })}
        </a>
      </div>
      <Chips
        label={text('state')}
        allLabel={text('all')}
        values={statuses}
        chosen={filter.status}
        wordOf={wordOf}
        onChoose={(status) => change({ status })}
      />
    </div>
  );
}

interface ChoiceProps {
  filter: MessageFilter;
  change: (next: Partial<Record<keyof MessageFilter, unknown>>) => void;
}

function TemplateChoice({ filter: { templateId }, change }: ChoiceProps) {
  const text = textsOf('messages');
  const mayRead = useMay('templates:read');
  const { data } = useQuery({
    ...templateNamesQuery,
    enabled: mayRead,
  });
  if (!data) return null;
  const isListed = templateId === undefined || data.items.some(({ _id }) => _id === templateId);
  return (
    <FilterSelect
      label={text('template')}
      anyLabel={text('anyTemplate')}
      options={[
        ...(isListed ? [] : [[templateId, templateId] as const]),
        ...data.items.map((one) => [one._id, `${one.providerTemplateName} ${one.language}`] as const),
      ]}
      chosen={templateId}
      onChoose={(one) => change({ templateId: one })}
    />
  );
}

/** From which of several numbers. */
function SenderChoice({ filter: { senderId }, change }: ChoiceProps) {
  const text = textsOf('messages');
  const { data } = useQuery({
    ...sendersQuery,
    enabled: useMay('manage'),
    staleTime: 60_000,
  });
  if (!data || (data.items.length < 2 && senderId === undefined)) return null;
  return (
    <FilterSelect
      label={text('number')}
      anyLabel={text('anyNumber')}
      options={data.items.map(({ _id, name }) => [_id, name])}
      chosen={senderId}
      onChoose={(one) => change({ senderId: one })}
    />
  );
}
