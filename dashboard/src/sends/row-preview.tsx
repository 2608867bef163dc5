// A row of the source as it will arrive.
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useState } from 'react';
import type { PreviewTemplate, TemplateDetail } from '../../../client/src/generated.ts';
import { IconButton } from '../design/button.tsx';
import { useSettled } from '../design/use-settled.ts';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type Mapping, recipientOf } from './mapping.ts';
import type { Source } from './source.ts';
import { TemplatePhone } from './template-phone.tsx';

const previewAfterMs = 150;

interface Props {
  source: Source;
  mapping: Mapping;
  template: TemplateDetail;
}

export function RowPreview({ source, mapping, template }: Props) {
  const text = textsOf('sends');
  const [at, setAt] = useState(0);
  const cells = source.sample[at] ?? [];
  const recipient = recipientOf(cells, mapping, { columns: source.columns, inputs: template.inputs });
  // the number is checked when the rows are added
  const { phone: _phone, ...content } = recipient;
  const settled: PreviewTemplate = JSON.parse(useSettled(JSON.stringify(content), previewAfterMs));
  const move = (step: number) => setAt(Math.min(source.sample.length - 1, Math.max(0, at + step)));
  return (
    <div className="column row-preview">
      <div className="row">
        <span className="strong">{text('rowAsItArrives', { row: formatNumber(at + 2) })}</span>
        <span className="row tight end">
          <IconButton label={text('rowBefore')} onClick={() => move(-1)}>
            <IconChevronLeft size={16} className="mirrored" aria-hidden />
          </IconButton>
          <IconButton label={text('rowAfter')} onClick={() => move(1)}>
            <IconChevronRight size={16} className="mirrored" aria-hidden />
          </IconButton>
        </span>
      </div>
      <TemplatePhone templateId={template._id} content={settled} />
    </div>
  );
}
