"""Find an image from its thumbnail in JAX: one compiled step of gradient descent through a resize, over a batch."""

import jax
import jax.numpy as jnp

import sizewise as sw

truth = jax.image.resize(jax.random.uniform(jax.random.key(0), (4, 12, 12, 1)), (4, 48, 48, 1), "cubic")
thumbnails = sw.resize(truth, (12, 12), "lanczos3")


def loss(image: jax.Array, thumbnail: jax.Array) -> jax.Array:
    return jnp.sum((sw.resize(image, (12, 12), "lanczos3") - thumbnail) ** 2)


@jax.jit
def step(images: jax.Array) -> jax.Array:
    return images - 4.0 * jax.vmap(jax.grad(loss))(images, thumbnails)


images = jnp.full_like(truth, 0.5)
for count in range(201):
    if count % 50 == 0:
        print(f"step {count:3}: mean error {jnp.abs(images - truth).mean():.4f}")
    images = step(images)

assert jnp.abs(sw.resize(images, (12, 12), "lanczos3") - thumbnails).max() < 1e-2
