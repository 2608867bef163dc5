// The audit log: who changed what, newest first.
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { Button } from '../design/button.tsx';
import { FilterSelect } from '../design/filter-select.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { actions } from './actions.ts';
import { AuditRow } from './audit-row.tsx';
import { type AuditFilter, filterOf, queryOf } from './filter.ts';
import { useAudit } from './use-audit.ts';

const readAgainMs = 15_000;

export function Audit() {
  const text = textsOf('audit');
  const navigate = useNavigate();
  const filter = filterOf(useSearch({ strict: false }));
  const {
    rows: entries,
    isLoaded,
    error,
    retry,
    loadOlder,
    isLoadingOlder,
  } = useAudit(['audit', filter], queryOf(filter, zone), readAgainMs);
  const go = (next: Record<string, unknown>) =>
    void navigate({ to: '/audit', search: { ...filterOf(next) } });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title={text('title')} text={text('about')}>
      <AuditFilters filter={filter} change={(next) => go({ ...filter, ...next })} />
      {Boolean(error) && <ErrorNote error={error} onRetry={retry} />}
      {!isLoaded && !error && <Loading />}
      {entries.length > 0 && (
        <section className="card" aria-label={text('title')}>
          <Table
            columns={[
              { label: text('when'), widthPx: 120 },
              { label: text('who'), widthPx: 190 },
              { label: text('action'), widthPx: 230 },
              { label: text('subject'), widthPx: 190 },
              { label: text('changes') },
            ]}
          >
            {entries.map((entry) => (
              <AuditRow key={entry._id} entry={entry} />
            ))}
          </Table>
          <TableFoot onMore={loadOlder} isLoading={isLoadingOlder}>
            {text('newestFirst')}
          </TableFoot>
        </section>
      )}
      {isLoaded && entries.length === 0 && (
        <EmptyState
          isCard
          icon={<IconHistory size={20} aria-hidden />}
          title={text('none')}
          text={text('noneText')}
          actions={isFiltered && <Button onClick={() => go({})}>{text('showAll')}</Button>}
        />
      )}
    </Page>
  );
}

interface FilterProps {
  filter: AuditFilter;
  change: (next: Partial<Record<keyof AuditFilter, string | undefined>>) => void;
}

function AuditFilters({ filter, change }: FilterProps) {
  const text = textsOf('audit');
  const search = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLElement>(null);
  useListKeys(rows, search);
  const dateField = (side: 'from' | 'to') => (
    <label className="row">
      <span className="muted">{text(side)}</span>
      <input
        className="input"
        type="date"
        value={filter[side] ?? ''}
        onChange={({ target }) => change({ [side]: target.value })}
      />
    </label>
  );
  return (
    <div className="row wrap">
      <SearchBox
        inputRef={search}
        value={filter.subjectId ?? ''}
        label={text('searchId')}
        onSearch={(subjectId) => change({ subjectId })}
      />
      <FilterSelect
        className="input"
        label={text('action')}
        anyLabel={text('anyAction')}
        options={actions.map((one) => [one, one])}
        chosen={filter.action}
        onChoose={(action) => change({ action })}
      />
      {dateField('from')}
      {dateField('to')}
    </div>
  );
}
