// The list of templates: status, quality, and the text with its gaps.

import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import IconTemplate from '@tabler/icons-react/dist/esm/icons/IconTemplate.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Chips } from '../design/chips.tsx';
import { LinkButton } from '../design/link-button.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { TemplateTable } from './template-table.tsx';

const pageLength = 50;
const statuses = ['approved', 'submitted', 'draft'] as const;

interface Search {
  status?: (typeof statuses)[number];
  search?: string;
  page?: number;
}

function searchOf({ status, search, page }: Record<string, unknown>): Search {
  const known = statuses.find((one) => one === status);
  return {
    ...(known ? { status: known } : {}),
    ...(typeof search === 'string' && search !== '' ? { search } : {}),
    ...(typeof page === 'number' && page > 1 ? { page } : {}),
  };
}

export function Templates() {
  const text = textsOf('templates');
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const wanted = searchOf(useSearch({ strict: false }));
  const { data, error, refetch } = useQuery({
    queryKey: ['templates', wanted],
    queryFn: () => api.listTemplates({ ...wanted, limit: pageLength }),
  });
  const mayManage = useMay('manage');
  const go = (search: Search) => void navigate({ to: '/templates', search: { ...search } });
  const { status, search, page = 1 } = wanted;
  usePageKeys([
    {
      text: 'newTemplate',
      run: { n: mayManage ? () => void navigate({ to: '/templates/new' }) : undefined },
    },
  ]);
  const isFiltered = status !== undefined || search !== undefined;

  return (
    <Page title={text('title')} isTitleHidden>
      <div className="column">
        <div className="row wrap">
          <SearchBox
            inputRef={input}
            value={search ?? ''}
            label={text('search')}
            onSearch={(typed) => go({ ...(status ? { status } : {}), ...(typed ? { search: typed } : {}) })}
          />
          <span className="row wrap end">
            <ReadAgain />
            {mayManage && (
              <LinkButton icon={<IconPlus size={15} aria-hidden />}>
                <Link to="/templates/new">{text('new')}</Link>
              </LinkButton>
            )}
          </span>
        </div>
        <Chips
          label={text('status')}
          allLabel={text('all')}
          values={statuses}
          chosen={status}
          wordOf={wordOf}
          onChoose={(one) => go({ ...(search ? { search } : {}), ...(one ? { status: one } : {}) })}
        />
      </div>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && data.items.length > 0 && (
        <TemplateTable templates={data.items} search={input}>
          <span className="number">
            {text('range', {
              from: formatNumber((page - 1) * pageLength + 1),
              to: formatNumber((page - 1) * pageLength + data.items.length),
              total: formatNumber(data.pagination.total),
            })}
          </span>
          {page > 1 && (
            <Link to="/templates" search={{ ...wanted, page: page - 1 }}>
              {text('previous')}
            </Link>
          )}
          {page < data.pagination.totalPages && (
            <Link to="/templates" search={{ ...wanted, page: page + 1 }}>
              {text('nextPage')}
            </Link>
          )}
        </TemplateTable>
      )}
      {data && data.items.length === 0 && (
        <div className="card">
          <EmptyState
            icon={<IconTemplate size={20} aria-hidden />}
            title={text(isFiltered ? 'noneFound' : 'none')}
            text={text(isFiltered ? 'noneFoundText' : 'noneText')}
            actions={isFiltered && <Button onClick={() => go({})}>{text('showAll')}</Button>}
          />
        </div>
      )}
    </Page>
  );
}

/** Reads the templates from the platform again. */
function ReadAgain() {
  const text = textsOf('templates');
  const queries = useQueryClient();
  const mayManage = useMay('manage');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.syncTemplates(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  usePageKeys([{ text: 'readAgain', run: { s: mayManage && !isPending ? () => mutate() : undefined } }]);
  if (!mayManage) return null;
  return (
    <span className="row wrap">
      {error && <ErrorNote error={error} />}
      <Button icon={<IconRefresh size={15} aria-hidden />} isBusy={isPending} onClick={() => mutate()}>
        {text('readAgain')}
      </Button>
    </span>
  );
}
