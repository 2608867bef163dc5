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
import { FilterSelect } from '../design/filter-select.tsx';
import { LinkButton } from '../design/link-button.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { SearchBox } from '../design/search-box.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { languageCodes, languageName } from './editor/template-languages.ts';
import { statisticsQuery, sumsOf } from './figures.ts';
import { TemplateTable } from './template-table.tsx';

const pageLength = 50;
const statuses = ['approved', 'submitted', 'draft'] as const;

const categories = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;

interface Search {
  status?: (typeof statuses)[number];
  category?: (typeof categories)[number];
  language?: string;
  search?: string;
  page?: number;
}

function searchOf({ status, category, language, search, page }: Record<string, unknown>): Search {
  const known = statuses.find((one) => one === status);
  const knownCategory = categories.find((one) => one === category);
  return {
    ...(known ? { status: known } : {}),
    ...(knownCategory ? { category: knownCategory } : {}),
    ...(typeof language === 'string' && language !== '' ? { language } : {}),
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
  const mayRead = useMay('messages:read');
  const { data: statistics } = useQuery({ ...statisticsQuery, enabled: mayRead });
  const go = (search: Search) => void navigate({ to: '/templates', search: { ...search } });
  // another filter begins at its first page
  const change = (next: Record<string, unknown>) => go(searchOf({ ...wanted, page: undefined, ...next }));
  const { status, category, language, search, page = 1 } = wanted;
  const isFiltered = Object.keys(wanted).some((key) => key !== 'page');
  usePageKeys([
    {
      text: 'newTemplate',
      run: { n: mayManage ? () => void navigate({ to: '/templates/new' }) : undefined },
    },
  ]);

  return (
    <Page title={text('title')} isTitleHidden>
      <div className="column">
        <div className="row wrap">
          <SearchBox
            inputRef={input}
            value={search ?? ''}
            label={text('search')}
            onSearch={(typed) => change({ search: typed })}
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
        <div className="row wrap">
          <Chips
            label={text('status')}
            allLabel={text('all')}
            values={statuses}
            chosen={status}
            wordOf={wordOf}
            onChoose={(one) => change({ status: one })}
          />
          <FilterSelect
            label={text('category')}
            anyLabel={text('anyCategory')}
            options={categories.map((one) => [one, categoryWord(one)])}
            chosen={category}
            onChoose={(one) => change({ category: one })}
          />
          <FilterSelect
            label={text('language')}
            anyLabel={text('anyLanguage')}
            options={languageCodes.map((code) => [code, `${languageName(code)} ${code}`])}
            chosen={language}
            onChoose={(one) => change({ language: one })}
          />
        </div>
      </div>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && data.items.length > 0 && (
        <TemplateTable templates={data.items} figures={statistics && sumsOf(statistics.items)} search={input}>
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
        <EmptyState
          isCard
          icon={<IconTemplate size={20} aria-hidden />}
          title={text(isFiltered ? 'noneFound' : 'none')}
          text={text(isFiltered ? 'noneFoundText' : 'noneText')}
          actions={
            isFiltered ? (
              <Button onClick={() => go({})}>{text('showAll')}</Button>
            ) : (
              mayManage && <Link to="/senders/connect">{text('connectNumber')}</Link>
            )
          }
        />
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
