// The rows of templates.
import { Link } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useRef } from 'react';
import type { Template } from '../../../client/src/generated.ts';
import { StateBadge } from '../design/state-badge.tsx';
import '../design/table.css';
import { Timestamp } from '../design/timestamp.tsx';
import { useListKeys } from '../design/use-list-keys.ts';
import { textsOf } from '../text/texts.ts';
import { bodyOf, piecesOf, qualityOf, stateOf } from './template-state.ts';
import './templates.css';

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
      <div className="table-frame">
        <table className="table">
          <colgroup>
            <col width="220" />
            <col width="80" />
            <col width="130" />
            <col width="130" />
            <col width="110" />
            <col />
            <col width="120" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{text('name')}</th>
              <th scope="col">{text('language')}</th>
              <th scope="col">{text('category')}</th>
              <th scope="col">{text('status')}</th>
              <th scope="col">{text('quality')}</th>
              <th scope="col">{text('text')}</th>
              <th scope="col" className="figure">
                {text('changed')}
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {templates.map((template) => (
              <TemplateRow key={template._id} template={template} />
            ))}
          </tbody>
        </table>
      </div>
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
        <Quality score={template.qualityScore} />
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

/** The category in the viewer's words; the platform's own word if it is another one. */
export function categoryWord(category: string): string {
  const text = textsOf('templates');
  switch (category) {
    case 'AUTHENTICATION':
      return text('authentication');
    case 'MARKETING':
      return text('marketing');
    case 'UTILITY':
      return text('utility');
    default:
      return category;
  }
}

export function Quality({ score }: { score: string | null }) {
  const text = textsOf('templates');
  const quality = qualityOf(score);
  return quality ? <StateBadge state={quality.state} label={text(quality.key)} quiet /> : <span>–</span>;
}

/** A template's text, its placeholders marked. */
export const TextWithGaps = ({ text }: { text: string }) => (
  <>
    {piecesOf(text).map((piece) =>
      piece.isPlaceholder ? (
        <span key={piece.at} className="placeholder">
          {piece.text}
        </span>
      ) : (
        piece.text
      ),
    )}
  </>
);
