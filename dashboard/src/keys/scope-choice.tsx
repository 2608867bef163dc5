// The scopes that a key or link gets: those that the session itself has.
import { useSession } from '../session/session.tsx';
import { textIfAny, textsOf } from '../text/texts.ts';

/** The scope of operators belongs to links of the command line only. */
const operatorScope = 'operator';

interface Props {
  chosen: string[];
  onChange: (scopes: string[]) => void;
}

/** What a scope allows, in words. */
export const scopeText = (scope: string): string =>
  textIfAny('keys', `scope_${scope.replace(':', '_')}`) ?? scope;

export function ScopeChoice({ chosen, onChange }: Props) {
  const text = textsOf('keys');
  const { scopes } = useSession();
  const toggle = (scope: string) =>
    onChange(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]);
  return (
    <fieldset className="scopes">
      <legend className="strong">{text('may')}</legend>
      {scopes
        .filter((scope) => scope !== operatorScope)
        .map((scope) => (
          <label key={scope} className="row">
            <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
            {scopeText(scope)} <span className="mono note wide-only">{scope}</span>
          </label>
        ))}
    </fieldset>
  );
}
