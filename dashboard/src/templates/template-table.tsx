// The rows of templates.
import { Link } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useRef } from 'react';
import type { Template } from '../../../client/src/generated.ts';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { bodyOf, stateOf } from './template-state.ts';
import { TextWithGaps } from './text-with-gaps.tsx';

interface Props {
  templates: Template[];
  search: RefObject<HTMLInputElement | null>;
  /** Where in the list the page is. */
  children: ReactNode;
}

export function TemplateTable({ templates, search, children }: Props) {
  const text = textsOf('templates');
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body, search);
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('name'), widthPx: 220 },
          { label: text('language'), widthPx: 80 },
          { label: text('category'), widthPx: 130 },
          { label: text('status'), widthPx: 130 },
          { label: text('quality'), widthPx: 110 },
          { label: text('text') },
          { label: text('changed'), widthPx: 120, isFigure: true },
        ]}
        bodyRef={body}
      >
        {templates.map((template) => (
          <TemplateRow key={template._id} template={template} />
        ))}
      </Table>
      <div className="table-foot">{children}</div>
    </section>
  );
}

function TemplateRow({ template }: { template: Template }) {
  const { _id, providerTemplateName, language, category, updatedAt } = template;
  return (
    <tr>
      <td className="mono strong">
        <Link to="/templates/$id" params={{ id: _id }} className="cell-link" data-row-link dir="ltr">
          {providerTemplateName}
        </Link>
      </td>
      <td className="mono muted wide-only">{language}</td>
      <td className="muted wide-only">{categoryWord(category)}</td>
      <td>
        <StateBadge state={stateOf(template)} />
      </td>
      <td className="wide-only">
        <Quality rating={template.qualityScore} />
      </td>
      <td className="muted full" dir="auto">
        <TextWithGaps text={bodyOf(template)} />
      </td>
      <td className="figure muted wide-only">
        <Timestamp at={updatedAt} />
      </td>
    </tr>
  );
}
