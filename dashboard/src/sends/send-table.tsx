// The rows of campaigns, newest first.
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import type { SendItem, Template } from '../../../client/src/generated.ts';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

interface Props {
  sends: SendItem[];
  /** To name their templates. */
  templates: Template[];
  /** Below the rows. */
  children: ReactNode;
}

export function SendTable({ sends, templates, children }: Props) {
  const text = textsOf('sends');
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body);
  const names = new Map(templates.map(({ _id, providerTemplateName }) => [_id, providerTemplateName]));
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('state'), widthPx: 140 },
          { label: text('name') },
          { label: text('template'), widthPx: 220 },
          { label: text('recipients'), widthPx: 120, isFigure: true },
          { label: text('begins'), widthPx: 150, isFigure: true },
          { label: text('created'), widthPx: 130, isFigure: true },
        ]}
        bodyRef={body}
      >
        {sends.map(({ sendId, state, name, templateId, total, sendAt, startedAt, createdAt }) => (
          <tr key={sendId}>
            <td>
              <StateBadge state={state} />
            </td>
            <td className="strong">
              <Link to="/sends/$id" params={{ id: sendId }} className="cell-link" data-row-link dir="auto">
                {name ?? text('unnamed')}
              </Link>
            </td>
            <td className="mono muted full" dir="ltr">
              {names.get(templateId) ?? templateId}
            </td>
            <td className="figure number wide-only">{formatNumber(total)}</td>
            <td className="figure muted wide-only">
              {startedAt || sendAt ? <Timestamp at={startedAt ?? sendAt ?? ''} /> : '–'}
            </td>
            <td className="figure muted wide-only">
              <Timestamp at={createdAt} />
            </td>
          </tr>
        ))}
      </Table>
      {children}
    </section>
  );
}
