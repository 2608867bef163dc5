// Why a message was not sent or did not arrive: red where it failed, quieter where somebody wanted that.
import type { MessageDetail } from '../../../client/src/generated.ts';
import { shapes } from '../design/icons.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { lookOf } from '../design/states.ts';
import { textIfAny } from '../text/texts.ts';
import { stateOf } from './message-state.ts';

export function Failure({ message }: { message: MessageDetail }) {
  const { error } = message;
  if (!error) return null;
  const state = stateOf(message);
  const { tone, shape } = lookOf(state);
  const box = tone === 'bad' || tone === 'warn' ? tone : '';
  // the gateway's own reasons in the viewer's words, the platform's in its own
  const own = state === 'failed' ? undefined : textIfAny('messages', `effect_${state}`);
  return (
    <div className={`note-box ${box}`} role="status">
      {shapes[shape]}
      <div className="grow">
        <div className="strong">
          <bdi>{state === 'failed' ? error.title : wordOf(state)}</bdi>{' '}
          <span className="mono">{error.code}</span>
        </div>
        <div className="muted">
          <bdi>{own ?? error.message}</bdi>
        </div>
      </div>
    </div>
  );
}
