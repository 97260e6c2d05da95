import re,sys
def mine(p):
    s=open(p).read()
    out=[];parts=[]
    pat=re.compile(r'<<<<<<< [^\n]*\n(.*?)=======\n(.*?)>>>>>>> [^\n]*\n',re.S)
    s2=pat.sub(lambda m:m.group(2),s)
    return s,s2
p='kai/src/getters.hpp'
s,s2=mine(p)
s2=s2.replace('#include "kai/src/check.hpp"\n#include "kai/src/layout.hpp"','#include "kai/src/check.hpp"\n#include "kai/src/cpu.hpp"\n#include "kai/src/layout.hpp"')
def add(sig_re, what):
    global s2
    n=len(re.findall(sig_re,s2)); assert n>=1,(sig_re)
    s2=re.sub(sig_re+r'( *\\\n)(?!        KAI_GETTER)', lambda m:m.group(0)+'        KAI_GETTER(%s, NAME) \\\n'%what, s2)
add(r'size_t kai_get_dst_offset_##NAME\(size_t m_idx, size_t n_idx, size_t dst_stride\) \{','dst_offset')
add(r'size_t kai_get_##SIDE##_packed_offset_##NAME\([^)]*\) \{','SIDE##_packed_offset')
add(r'size_t kai_get_##WHAT##_##NAME\(size_t m_idx, \[\[maybe_unused\]\] size_t stride\) \{','WHAT')
open(p,'w').write(s2)
p='kai/src/matmul_row_sme2.cpp'
s,s2=mine(p)
s2=s2.replace('UnifiedOperand (*RHS)()','UnifiedOperand (*RHS)(Getter)').replace('(KERNEL, RHS(), ','(KERNEL, RHS({}), ')
open(p,'w').write(s2)
