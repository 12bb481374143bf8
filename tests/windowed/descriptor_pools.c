/* Preloaded into Blender on Vulkan: a descriptor pool gives no more sets than it was made for.

   Mesa's software driver (lavapipe) gives any number, each in a memory mapping of its own, and Blender resets a pool only once
   it was refused a set. So those two together keep every set that was ever drawn with, some 300 a redraw of the window,
   until the process has as many mappings as Linux allows (vm.max_map_count); then the driver writes to memory that it did
   not get. Drivers of real GPUs refuse by themselves, as the Vulkan specification has it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* What is read of Vulkan's types, so that its headers need not be installed. */
typedef uint64_t Pool; /* VkDescriptorPool, a non-dispatchable handle */
typedef int32_t Result;
enum { SUCCESS = 0, ERROR_OUT_OF_POOL_MEMORY = -1000069000 };

struct pool_create_info {
    uint32_t type;
    const void *next;
    uint32_t flags, max_sets;
};

struct set_allocate_info {
    uint32_t type;
    const void *next;
    Pool pool;
    uint32_t set_count;
};

struct pool {
    Pool handle;
    uint32_t max_sets, sets;
};

/* Blender has some pools for each thread that draws. What finds no place here is left to the driver. */
static struct pool pools[1024];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* The pool's entry, or NULL; a handle of 0 finds a free one. */
static struct pool *find(Pool handle)
{
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (pools[i].handle == handle)
            return &pools[i];
    return NULL;
}

/* Add to the number of a pool's sets, if they fit. */
static int take(Pool handle, uint32_t count)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = find(handle);
    int fits = !pool || pool->sets + count <= pool->max_sets;
    if (pool && fits)
        pool->sets += count;
    pthread_mutex_unlock(&pools_lock);
    return fits;
}

static void give_back(Pool handle, uint32_t count)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = find(handle);
    if (pool)
        pool->sets -= count < pool->sets ? count : pool->sets;
    pthread_mutex_unlock(&pools_lock);
}

Result vkCreateDescriptorPool(void *device, const struct pool_create_info *info, const void *allocator, Pool *made)
{
    Result (*next)(void *, const void *, const void *, Pool *) = dlsym(RTLD_NEXT, "vkCreateDescriptorPool");
    Result result = next(device, info, allocator, made);
    if (result == SUCCESS) {
        pthread_mutex_lock(&pools_lock);
        struct pool *pool = find(0);
        if (pool)
            *pool = (struct pool){*made, info->max_sets, 0};
        pthread_mutex_unlock(&pools_lock);
    }
    return result;
}

void vkDestroyDescriptorPool(void *device, Pool handle, const void *allocator)
{
    void (*next)(void *, Pool, const void *) = dlsym(RTLD_NEXT, "vkDestroyDescriptorPool");
    if (handle) {
        pthread_mutex_lock(&pools_lock);
        struct pool *pool = find(handle);
        if (pool)
            *pool = (struct pool){0};
        pthread_mutex_unlock(&pools_lock);
    }
    next(device, handle, allocator);
}

Result vkResetDescriptorPool(void *device, Pool handle, uint32_t flags)
{
    Result (*next)(void *, Pool, uint32_t) = dlsym(RTLD_NEXT, "vkResetDescriptorPool");
    give_back(handle, UINT32_MAX);
    return next(device, handle, flags);
}

Result vkAllocateDescriptorSets(void *device, const struct set_allocate_info *info, void *sets)
{
    Result (*next)(void *, const void *, void *) = dlsym(RTLD_NEXT, "vkAllocateDescriptorSets");
    if (!take(info->pool, info->set_count))
        return ERROR_OUT_OF_POOL_MEMORY;
    Result result = next(device, info, sets);
    if (result != SUCCESS)
        give_back(info->pool, info->set_count);
    return result;
}

Result vkFreeDescriptorSets(void *device, Pool handle, uint32_t count, const void *sets)
{
    Result (*next)(void *, Pool, uint32_t, const void *) = dlsym(RTLD_NEXT, "vkFreeDescriptorSets");
    give_back(handle, count);
    return next(device, handle, count, sets);
}
