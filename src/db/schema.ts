// The tables, as TypeScript sees them: made by `npm run db:types` from the migrations; do not edit.
// biome-ignore lint/suspicious/noEmptyInterface: no table yet
export interface DB {}
