// Properties checked with the same random cases in every run: a run fails because of a change, not by chance.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });

export { fc };
