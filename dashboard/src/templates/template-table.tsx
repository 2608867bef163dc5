// The rows of templates.
import { Link } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useRef } from 'react';
import type { Template } from '../../../client/src/generated.ts';
import { Quality } from '../design/quality.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { formatNumber, formatShare } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import type { TemplateFigures } from './figures.ts';
import { bodyOf, stateOf } from './template-state.ts';
import { TextWithGaps } from './text-with-gaps.tsx';

/** Less than this share delivered is marked, once enough messages were sent to say so. */
const poorBelow = 0.9;
const poorFrom = 50;

interface Props {
  templates: Template[];
  /** By template; undefined: not known. */
  figures: Map<string, TemplateFigures> | undefined;
  search: RefObject<HTMLInputElement | null>;
  /** Where in the list the page is. */
  children: ReactNode;
}

export function TemplateTable({ templates, figures, search, children }: Props) {
  const text = textsOf('templates');
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body, search);
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('name'), widthPx: 200 },
          { label: text('language'), widthPx: 80 },
          { label: text('category'), widthPx: 118, isExtra: true },
          { label: text('status'), widthPx: 130 },
          { label: text('quality'), widthPx: 100, isExtra: true },
          { label: text('text') },
          ...(figures
            ? [
                { label: text('sent30'), widthPx: 84, isFigure: true },
                { label: text('count_delivered'), widthPx: 92, isFigure: true },
                { label: text('count_read'), widthPx: 78, isFigure: true },
              ]
            : []),
          { label: text('changed'), widthPx: 110, isFigure: true, isExtra: true },
        ]}
        bodyRef={body}
      >
        {templates.map((template) => (
          <TemplateRow
            key={template._id}
            template={template}
            hasFigures={figures !== undefined}
            figures={figures?.get(template._id)}
          />
        ))}
      </Table>
      <TableFoot>{children}</TableFoot>
    </section>
  );
}

interface RowProps {
  template: Template;
  hasFigures: boolean;
  figures: TemplateFigures | undefined;
}

function TemplateRow({ template, hasFigures, figures }: RowProps) {
  const { _id, providerTemplateName, language, category, updatedAt } = template;
  return (
    <tr>
      <td className="mono strong">
        <Link to="/templates/$id" params={{ id: _id }} className="cell-link" data-row-link dir="ltr">
          {providerTemplateName}
        </Link>
      </td>
      <td className="mono muted wide-only">{language}</td>
      <td className="muted wide-only extra">{categoryWord(category)}</td>
      <td>
        <StateBadge state={stateOf(template)} />
      </td>
      <td className="wide-only extra">
        <Quality rating={template.qualityScore} />
      </td>
      <td className="muted full" dir="auto">
        <TextWithGaps text={bodyOf(template)} />
      </td>
      {hasFigures && <Figures figures={figures} />}
      <td className="figure muted wide-only extra">
        <Timestamp at={updatedAt} />
      </td>
    </tr>
  );
}

function Figures({ figures = { sent: 0, delivered: 0, read: 0 } }: { figures: TemplateFigures | undefined }) {
  const { sent, delivered, read } = figures;
  const isPoor = sent >= poorFrom && delivered / sent < poorBelow;
  return (
    <>
      <td className="figure number wide-only">{sent === 0 ? '–' : formatNumber(sent)}</td>
      <td className={`figure number wide-only ${isPoor ? 'bad-text strong' : ''}`}>
        {formatShare(delivered, sent)}
      </td>
      <td className="figure number wide-only">{formatShare(read, sent)}</td>
    </>
  );
}
