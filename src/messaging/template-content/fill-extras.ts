// What the template as a whole may need: the end of an offer, a catalog's thumbnail, a list of products. Pure.
import type { Problem } from '../../base/errors.ts';
import type { ProductSection } from '../../ports/platform.ts';
import { upper } from './kinds.ts';
import type { TemplatePlan } from './placeholders.ts';

export interface ExtraFilling {
  /** RFC 3339. */
  offerExpiresAt?: string;
  catalog?: { thumbnailProductId?: string };
  products?: { thumbnailProductId?: string; sections: ProductSection[] };
  /** The present time in epoch milliseconds, which the end of an offer must be after. */
  nowMs?: number;
}

/** WhatsApp's limits of a product list (Cloud API, "Multi-product message templates"). */
const productsMax = 30;

/** True if the template has a button of that kind. */
const hasButton = (plan: Pick<TemplatePlan, 'buttons'>, kind: string): boolean =>
  plan.buttons.some(({ type }) => upper(type) === kind);

/** Adds the problems of `offerExpiresAt`, `catalog` and `products`. */
export function extraProblems(
  plan: TemplatePlan,
  filling: ExtraFilling,
  at: (member: string) => string,
  problems: Problem[],
): void {
  const add = (member: string, message: string) => problems.push({ path: at(member), message });
  const { offerExpiresAt, catalog, products } = filling;
  const needsEnd = plan.offer?.hasExpiration === true;
  if (needsEnd && offerExpiresAt === undefined)
    add('offerExpiresAt', 'is missing: the offer of this template shows when it ends');
  if (!needsEnd && offerExpiresAt !== undefined)
    add('offerExpiresAt', 'is not allowed: this template has no offer that shows when it ends');
  if (needsEnd && offerExpiresAt !== undefined && !(Date.parse(offerExpiresAt) > (filling.nowMs ?? 0)))
    add('offerExpiresAt', 'must be in the future');
  if (catalog && !hasButton(plan, 'CATALOG'))
    add('catalog', 'is not allowed: this template has no catalog button');
  const takesProducts = hasButton(plan, 'MPM');
  if (products && !takesProducts) add('products', 'is not allowed: this template has no product list');
  if (!products && takesProducts) add('products', 'is missing: this template shows a list of products');
  if (!products) return;
  const ids = products.sections.flatMap(({ productIds }) => productIds);
  if (ids.length > productsMax)
    add('products', `must have at most ${productsMax} products in all; it has ${ids.length}`);
}
