// The second step: where the recipients come from, which column is what, and what became of the rows.
import IconFileSpreadsheet from '@tabler/icons-react/dist/esm/icons/IconFileSpreadsheet.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Send, TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { guessTargets, looksLikePhone, type Mapping } from './mapping.ts';
import { MappingTable } from './mapping-table.tsx';
import { OutcomeSum } from './outcome-sum.tsx';
import { RowFaults } from './row-faults.tsx';
import { RowPreview } from './row-preview.tsx';
import { SharedValues } from './shared-values.tsx';
import type { Source } from './source.ts';
import { SourceChoice } from './source-choice.tsx';
import { StepFoot } from './step-foot.tsx';
import { ExamplePhone } from './template-phone.tsx';
import type { Upload } from './use-upload.ts';

/** The file and the choice of columns; kept while the steps change. */
export interface Draft {
  source: Source;
  mapping: Mapping;
}

interface Props {
  send: Send;
  template: TemplateDetail;
  draft: Draft | undefined;
  onChange: (draft: Draft | undefined) => void;
  upload: Upload;
  onNext: () => void;
}

export function RecipientsStep({ send, template, draft, onChange, upload, onNext }: Props) {
  const text = textsOf('sends');
  const { inputs } = template;
  const begin = (source: Source) =>
    onChange({
      source,
      mapping: { targets: guessTargets(source.columns, inputs, source.sample), shared: {}, countryCode: '' },
    });
  const next = (
    <Button
      kind={draft && !upload.outcome ? 'default' : 'primary'}
      isDisabled={send.total === 0 || upload.isRunning}
      onClick={onNext}
    >
      {text('toTiming', { count: send.total })}
    </Button>
  );
  return (
    <>
      <div className="columns">
        <div className="column loose">
          {draft ? (
            <Rows draft={draft} send={send} template={template} onChange={onChange} upload={upload} />
          ) : (
            <>
              {send.total > 0 && <InDraft send={send} />}
              <SourceChoice onRead={begin} />
            </>
          )}
        </div>
        {draft ? (
          <RowPreview source={draft.source} mapping={draft.mapping} template={template} />
        ) : (
          <div className="column">
            <ExamplePhone templateId={template._id} />
          </div>
        )}
      </div>
      <StepFoot
        note={
          upload.outcome && upload.outcome.rejected > 0 && text('leftOut', { count: upload.outcome.rejected })
        }
      >
        {next}
      </StepFoot>
    </>
  );
}

/** What an earlier visit added. */
function InDraft({ send: { sendId, total } }: { send: Send }) {
  const text = textsOf('sends');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.emptySend({ sendId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sends', 'one', sendId] }),
  });
  return (
    <div className="note-box" role="status">
      <div className="grow">
        {text('inDraft', { count: total })}
        {error && <ErrorNote error={error} />}
      </div>
      <Button isBusy={isPending} onClick={() => mutate()}>
        {text('removeAll', { count: total })}
      </Button>
    </div>
  );
}

type RowsProps = Pick<Props, 'send' | 'template' | 'onChange' | 'upload'> & { draft: Draft };

function Rows({ draft, send, template, onChange, upload }: RowsProps) {
  const text = textsOf('sends');
  const { source, mapping } = draft;
  const { outcome, isRunning, error } = upload;
  const change = (next: Mapping) => onChange({ source, mapping: next });
  const hasPhone = mapping.targets.includes('phone');
  const other = () => {
    upload.forget();
    onChange(undefined);
  };
  return (
    <>
      <section className="card" aria-label={source.name}>
        <div className="file-row">
          <IconFileSpreadsheet size={20} stroke={1.5} aria-hidden />
          <div className="grow">
            <div className="strong cut" dir="auto">
              {source.name}
            </div>
            <div className="small note number">
              {text('fileFacts', { rows: source.rowCount, columns: source.columns.length })}
            </div>
          </div>
          <Button kind="quiet" isDisabled={isRunning} onClick={other}>
            {text('otherFile')}
          </Button>
          <Button
            kind={outcome ? 'default' : 'primary'}
            isBusy={isRunning}
            isDisabled={!hasPhone}
            onClick={() => upload.run(source, mapping)}
          >
            {text(outcome ? 'addAgain' : 'addRows', { count: source.rowCount })}
          </Button>
        </div>
        {isRunning && (
          <progress
            className="bar-of"
            max={source.rowCount}
            value={outcome?.rows ?? 0}
            aria-label={text('adding')}
          />
        )}
        {outcome && <OutcomeSum outcome={outcome} />}
      </section>
      {!hasPhone && (
        <div className="note-box warn" role="status">
          {text('noPhoneColumn')}
        </div>
      )}
      {source.columns.some(looksLikePhone) && (
        <div className="note-box warn" role="status">
          {text('noHeader')}
        </div>
      )}
      {!outcome && send.total > 0 && (
        <div className="note-box warn" role="status">
          {text('replaces', { count: formatNumber(send.total) })}
        </div>
      )}
      {Boolean(error) && <ErrorNote error={error} onRetry={() => upload.run(source, mapping)} />}
      {outcome && outcome.faults.length > 0 && (
        <RowFaults
          faults={outcome.faults}
          count={outcome.rejected}
          source={source}
          mapping={mapping}
          isDisabled={isRunning}
          onFix={(fix, typed) => upload.fix(fix, typed, source, mapping)}
        />
      )}
      <MappingTable source={source} inputs={template.inputs} mapping={mapping} onChange={change} />
      <SharedValues inputs={template.inputs} mapping={mapping} onChange={change} />
    </>
  );
}
