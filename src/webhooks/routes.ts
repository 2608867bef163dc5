// Every route of the webhooks room.
import type { Server } from '../http/request.ts';
import { type DeliveryRoutesDeps, deliveryRoutes } from './deliveries-routes.ts';
import { type EndpointRoutesDeps, endpointRoutes } from './endpoints-routes.ts';

export type WebhookRoutesDeps = EndpointRoutesDeps & DeliveryRoutesDeps;

/** `/v1/webhooks/endpoints` and `/v1/webhooks/deliveries`. */
export function webhookRoutes(server: Server, deps: WebhookRoutesDeps): void {
  endpointRoutes(server, deps);
  deliveryRoutes(server, deps);
}
