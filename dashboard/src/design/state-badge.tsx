// A state as shape and word.
import { textIfAny } from '../text/texts.ts';
import { shapes } from './icons.tsx';
import './state-badge.css';
import { lookOf } from './states.ts';

interface Props {
  state: string;
  /** The word, if it is not the state's own. */
  label?: string;
  /** Never as a filled badge. */
  quiet?: boolean;
  iconOnly?: boolean;
}

/** The word of a state in the viewer's language. */
export const wordOf = (state: string): string => textIfAny('states', state) ?? state.replaceAll('_', ' ');

export function StateBadge({ state, label, quiet = false, iconOnly = false }: Props) {
  const { tone, shape, isLoud } = lookOf(state);
  const word = label ?? wordOf(state);
  return (
    <span className={`state ${tone} ${isLoud && !quiet ? 'loud' : ''}`} title={iconOnly ? word : undefined}>
      {shapes[shape]}
      {iconOnly ? <span className="hidden-text">{word}</span> : word}
    </span>
  );
}
